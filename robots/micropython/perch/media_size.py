# SPDX-License-Identifier: Apache-2.0
"""The size of a picture, from its head."""


def size_of(data):
    """Returns (w, h) of a PNG or JPEG, or None."""
    if len(data) >= 24 and bytes(data[:4]) == b"\x89PNG":
        return _u16(data, 18), _u16(data, 22)
    if bytes(data[:2]) != b"\xff\xd8":
        return None
    at = 2
    while at + 9 <= len(data):
        marker = data[at + 1]
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            return _u16(data, at + 7), _u16(data, at + 5)
        at += 2 + _u16(data, at + 2)
    return None


def _u16(data, at):
    return data[at] << 8 | data[at + 1]
