# SPDX-License-Identifier: Apache-2.0
"""A screen in memory, drawn with the framebuf of MicroPython."""

from array import array

import framebuf

W, H = 320, 240
LETTER = 8


def rgb565(color):
    return (color >> 8 & 0xF800) | (color >> 5 & 0x7E0) | (color >> 3 & 31)


class HostCanvas:
    def __init__(self):
        self.pixels = bytearray(W * H * 2)
        self._buffer = framebuf.FrameBuffer(
            self.pixels, W, H, framebuf.RGB565)
        self._letter = framebuf.FrameBuffer(
            bytearray(LETTER), LETTER, LETTER, framebuf.MONO_HLSB)

    def fill(self, color):
        self._buffer.fill(rgb565(color))

    def rect(self, x, y, w, h, color):
        self._buffer.fill_rect(x, y, w, h, rgb565(color))

    def ellipse(self, x, y, rx, ry, color):
        self._buffer.ellipse(x, y, rx, ry, rgb565(color), True)

    def polygon(self, points, color):
        if isinstance(points, list):
            points = array("h", points)
        self._buffer.poly(0, 0, points, rgb565(color), True)

    def width(self, text, size):
        return len(text) * LETTER * size

    def text(self, text, x, y, size, color):
        """Letters of 8 x 8 pixels, enlarged."""
        x -= self.width(text, size) // 2
        y -= LETTER * size // 2
        paint = rgb565(color)
        for letter in text:
            self._letter.fill(0)
            # The font has no letters beyond ASCII.
            self._letter.text(letter if ord(letter) < 128 else "?", 0, 0, 1)
            for row in range(LETTER):
                for column in range(LETTER):
                    if self._letter.pixel(column, row):
                        self._buffer.fill_rect(
                            x + column * size, y + row * size,
                            size, size, paint)
            x += LETTER * size

    def picture(self, _picture, x, y):
        """Nothing decodes pictures here: a mark shows where it would be."""
        self._buffer.fill_rect(x + 4, y + 4, 12, 12, rgb565(0x6DB5FF))
