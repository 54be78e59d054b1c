# SPDX-License-Identifier: Apache-2.0
"""QR codes of versions 1 to 5 at level L: up to 106 bytes."""

# Data and check bytes of each version.
SIZES = ((19, 7), (34, 10), (55, 15), (80, 20), (108, 26))
# Level L with mask 0: its fifteen format bits.
FORMAT = 0b111011111000100


def qr(text):
    """Returns rows of bytes, 1 is dark; None: the text is too long."""
    data = text.encode()
    for version, (size, checks) in enumerate(SIZES, 1):
        if len(data) + 2 <= size:
            return _matrix(version, _codewords(data, size, checks))
    return None


def _codewords(data, size, checks):
    words = bytearray(size + checks)
    # The mode "bytes" in four bits, the length in eight, then the bytes.
    length = len(data)
    words[0] = 0x40 | length >> 4
    words[1] = (length & 15) << 4
    for at, byte in enumerate(data):
        words[at + 1] |= byte >> 4
        words[at + 2] = (byte & 15) << 4
    for at in range(length + 2, size):
        words[at] = 0x11 if (at - length) & 1 else 0xEC
    words[size:] = _checks(words[:size], checks)
    return words


def _checks(data, count):
    exp, log = bytearray(512), bytearray(256)
    x = 1
    for i in range(255):
        exp[i] = exp[i + 255] = x
        log[x] = i
        x = x << 1 ^ (0x11D if x & 128 else 0)
    generator = bytearray([1])
    for i in range(count):
        longer = bytearray(len(generator) + 1)
        for at, value in enumerate(generator):
            longer[at] ^= value
            if value:
                longer[at + 1] ^= exp[log[value] + i]
        generator = longer
    rest = bytearray(count)
    for byte in data:
        factor = byte ^ rest[0]
        for at in range(count - 1):
            rest[at] = rest[at + 1]
        rest[count - 1] = 0
        if factor:
            for at in range(count):
                rest[at] ^= exp[log[generator[at + 1]] + log[factor]]
    return rest


def _matrix(version, words):
    side = 17 + 4 * version
    rows = [bytearray(side) for _ in range(side)]
    fixed = [bytearray(side) for _ in range(side)]

    def put(row, column, dark):
        rows[row][column] = 1 if dark else 0
        fixed[row][column] = 1

    for i in range(side):
        put(6, i, i % 2 == 0)
        put(i, 6, i % 2 == 0)
    for top, left in ((0, 0), (0, side - 7), (side - 7, 0)):
        for r in range(-1, 8):
            for c in range(-1, 8):
                if 0 <= top + r < side and 0 <= left + c < side:
                    ring = max(abs(r - 3), abs(c - 3))
                    put(top + r, left + c, ring not in (2, 4))
    if version > 1:
        for r in range(-2, 3):
            for c in range(-2, 3):
                put(side - 7 + r, side - 7 + c,
                    max(abs(r), abs(c)) != 1)
    for i in range(15):
        bit = FORMAT >> (14 - i) & 1
        put(8, i if i < 6 else i + 1 if i < 8 else side - 15 + i, bit)
        row = side - 1 - i if i < 7 else 15 - i if i < 9 else 14 - i
        put(row, 8, bit)
    # The eighth bit stands at both places; the module below is always dark.
    put(8, side - 8, FORMAT >> 7 & 1)
    put(side - 8, 8, 1)
    _place(rows, fixed, words)
    return rows


def _place(rows, fixed, words):
    """Two columns at a time, up and down from the right, with mask 0."""
    side, at = len(rows), 0
    column, up = side - 1, True
    while column > 0:
        if column == 6:
            column -= 1
        for i in range(side):
            row = side - 1 - i if up else i
            for c in (column, column - 1):
                if fixed[row][c]:
                    continue
                bit = 0
                if at < 8 * len(words):
                    bit = words[at >> 3] >> (7 - (at & 7)) & 1
                rows[row][c] = bit ^ ((row + c) % 2 == 0)
                at += 1
        column -= 2
        up = not up
