# SPDX-License-Identifier: Apache-2.0
"""Verifies Ed25519 signatures (RFC 8032), which MicroPython cannot.

It accepts canonical ones alone: S below the order of the group, R and the key
in their one encoding, and no key of small order. Nothing here is secret, so
that the time may depend on the input. The memory does not.
"""

import asyncio
from binascii import unhexlify

# SHA-512 (FIPS 180-4).
ROUNDS = 80
WORD = 0xffffffffffffffff
START = (
    0x6a09e667f3bcc908, 0xbb67ae8584caa73b,
    0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
    0x510e527fade682d1, 0x9b05688c2b3e6c1f,
    0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
)
CONSTANTS = unhexlify(
    "428a2f98d728ae227137449123ef65cdb5c0fbcfec4d3b2fe9b5dba58189dbbc"
    "3956c25bf348b53859f111f1b605d019923f82a4af194f9bab1c5ed5da6d8118"
    "d807aa98a303024212835b0145706fbe243185be4ee4b28c550c7dc3d5ffb4e2"
    "72be5d74f27b896f80deb1fe3b1696b19bdc06a725c71235c19bf174cf692694"
    "e49b69c19ef14ad2efbe4786384f25e30fc19dc68b8cd5b5240ca1cc77ac9c65"
    "2de92c6f592b02754a7484aa6ea6e4835cb0a9dcbd41fbd476f988da831153b5"
    "983e5152ee66dfaba831c66d2db43210b00327c898fb213fbf597fc7beef0ee4"
    "c6e00bf33da88fc2d5a79147930aa72506ca6351e003826f142929670a0e6e70"
    "27b70a8546d22ffc2e1b21385c26c9264d2c6dfc5ac42aed53380d139d95b3df"
    "650a73548baf63de766a0abb3c77b2a881c2c92e47edaee692722c851482353b"
    "a2bfe8a14cf10364a81a664bbc423001c24b8b70d0f89791c76c51a30654be30"
    "d192e819d6ef5218d69906245565a910f40e35855771202a106aa07032bbd1b8"
    "19a4c116b8d2d0c81e376c085141ab532748774cdf8eeb9934b0bcb5e19b48a8"
    "391c0cb3c5c95a634ed8aa4ae3418acb5b9cca4f7763e373682e6ff3d6b2b8a3"
    "748f82ee5defb2fc78a5636f43172f6084c87814a1f0ab728cc702081a6439ec"
    "90befffa23631e28a4506cebde82bde9bef9a3f7b2c67915c67178f2e372532b"
    "ca273eceea26619cd186b8c721c0c207eada7dd6cde0eb1ef57d4f7fee6ed178"
    "06f067aa72176fba0a637dc5a2c898a6113f9804bef90dae1b710b35131c471b"
    "28db77f523047d8432caab7b40c724933c9ebe0a15c9bebc431d67c49c100d4c"
    "4cc5d4becb3e42b6597f299cfc657e2a5fcb6fab3ad6faec6c44198c4a475817")

P = 2 ** 255 - 19
ORDER = 2 ** 252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT_OF_MINUS_1 = pow(2, (P - 1) // 4, P)
BASE = (
    0x216936d3cd6e53fec0a4e231fdd6dc5c692cc7609525a7b2c9562d608f25d51a,
    0x6666666666666666666666666666666666666666666666666666666666666658)
# Doublings between two turns of the loop.
STEPS = 4
# Bits of a signed window: odd multiples of a point up to 15 are kept.
WINDOW = 5


async def sha512(*parts):
    """Returns the digest of bytes that come in parts."""
    state, block, total = START, b"", 0
    for part in parts:
        total += len(part)
        while len(block) + len(part) >= 128:
            taken = 128 - len(block)
            state = await _compress(state, block + part[:taken])
            block, part = b"", part[taken:]
        block += part
    end = b"\x80" + bytes(-(len(block) + 17) % 128)
    end = block + end + (total * 8).to_bytes(16, "big")
    for at in range(0, len(end), 128):
        state = await _compress(state, end[at:at + 128])
    return b"".join([word.to_bytes(8, "big") for word in state])


async def _compress(state, block):
    a, b, c, d, e, f, g, h = state
    words = [int.from_bytes(block[at:at + 8], "big")
             for at in range(0, 128, 8)]
    for at in range(ROUNDS):
        if not at & 15:
            await asyncio.sleep_ms(0)
        word = words[at & 15]
        if at > 15:
            x = words[(at - 15) & 15]
            y = words[(at - 2) & 15]
            x, x2 = x >> 7, x | x << 64
            y, y2 = y >> 6, y | y << 64
            word += ((x2 >> 1 ^ x2 >> 8 ^ x)
                     + (y2 >> 19 ^ y2 >> 61 ^ y)
                     + words[(at - 7) & 15])
            words[at & 15] = word = word & WORD
        twice = e | e << 64
        one = (h + ((twice >> 14 ^ twice >> 18 ^ twice >> 41) & WORD)
               + (g ^ e & (f ^ g)) + word
               + int.from_bytes(CONSTANTS[at * 8:at * 8 + 8], "big"))
        twice = a | a << 64
        two = (((twice >> 28 ^ twice >> 34 ^ twice >> 39) & WORD)
               + (a & b | c & (a | b)))
        h, g, f, e = g, f, e, (d + one) & WORD
        d, c, b, a = c, b, a, (one + two) & WORD
    return [(x + y) & WORD
            for x, y in zip(state, (a, b, c, d, e, f, g, h))]


def _point(encoded):
    """Returns x and y, or None for what is no point's one encoding."""
    y = int.from_bytes(encoded, "little")
    sign, y = y >> 255, y & ((1 << 255) - 1)
    if y >= P:
        return None
    over, under = (y * y - 1) % P, (D * y * y + 1) % P
    cubed = under * under * under % P
    x = over * cubed * pow(
        over * cubed * cubed * under, (P - 5) // 8, P) % P
    if (under * x * x - over) % P:
        x = x * ROOT_OF_MINUS_1 % P
        if (under * x * x - over) % P:
            return None
    if not x and sign:
        return None
    return (P - x if x & 1 != sign else x), y


def _double(point):
    """A point is (x, y, z, t): at x / z and y / z, with t = x * y / z.

    Formulas: Hisil, Wong, Carter, Dawson, Twisted Edwards Curves Revisited.
    """
    x, y, z, _ = point
    xx, yy, e = x * x % P, y * y % P, x + y
    h = xx + yy
    e, g = h - e * e % P, xx - yy
    f = 2 * z * z % P + g
    return e * f % P, g * h % P, f * g % P, e * h % P


def _add(point, cached):
    x, y, z, t = point
    less, more, t2, z2 = cached
    a, b = (y - x) * less % P, (y + x) * more % P
    c, d = t * t2 % P, z * z2 % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def _cached(point):
    x, y, z, t = point
    return y - x, y + x, 2 * D * t % P, 2 * z


def _multiples(x, y):
    """Returns 1, 3, 5, … 15 times the point, to be added."""
    point = x, y, 1, x * y % P
    twice, found = _cached(_double(point)), []
    for _ in range(1 << (WINDOW - 2)):
        found.append(_cached(point))
        point = _add(point, twice)
    return found


def _digits(number):
    """Returns odd digits by their places, in signed windows."""
    digits, place = {}, 0
    while number:
        if number & 1:
            digit = number & ((1 << WINDOW) - 1)
            if digit >> (WINDOW - 1):
                digit -= 1 << WINDOW
            digits[place] = digit
            number -= digit
        number >>= 1
        place += 1
    return digits


def _signed(multiples, digit):
    if digit > 0:
        return multiples[digit >> 1]
    less, more, t2, z2 = multiples[-digit >> 1]
    return more, less, -t2, z2


async def verify(key, message, signature):
    """Whether the signature is that of the key's owner on the message."""
    if len(key) != 32 or len(signature) != 64:
        return False
    r, s = signature[:32], int.from_bytes(signature[32:], "little")
    owner = _point(key)
    if s >= ORDER or owner is None:
        return False
    await asyncio.sleep_ms(0)
    x, y = owner
    eightfold = x, y, 1, x * y % P
    for _ in range(3):
        eightfold = _double(eightfold)
    if not eightfold[0]:
        return False
    digest = await sha512(r, key, message)
    sums = (
        (_digits(s), _multiples(*BASE)),
        (_digits(int.from_bytes(digest, "little") % ORDER),
         _multiples(P - x, y)))
    sum_ = 0, 1, 1, 0
    for place in range(255, -1, -1):
        if not place % STEPS:
            await asyncio.sleep_ms(0)
        sum_ = _double(sum_)
        for digits, multiples in sums:
            digit = digits.get(place)
            if digit:
                sum_ = _add(sum_, _signed(multiples, digit))
    x, y, z, _ = sum_
    z = pow(z, P - 2, P)
    y = y * z % P | (x * z % P & 1) << 255
    return r == y.to_bytes(32, "little")
