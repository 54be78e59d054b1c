# SPDX-License-Identifier: Apache-2.0
"""The drawing functions of UIFlow2, with what each of them costs."""

from fake_clock import clock

# Sending pixels to the screen takes 31 ms for all of them.
PIXEL_PUSH_US = 0.4
CALL_US = 15
PIXEL_US = 0.02
PNG_US, JPEG_US = 90000, 60000
TEXTS_MAX = 400


class Fonts:
    DejaVu9 = "DejaVu9"
    DejaVu12 = "DejaVu12"
    DejaVu18 = "DejaVu18"
    DejaVu24 = "DejaVu24"
    DejaVu40 = "DejaVu40"


class Gfx:
    FONTS = Fonts

    def __init__(self, w, h, complain):
        self.w, self.h = w, h
        self.complain = complain
        self.font = None
        self.texts = []
        self.calls = 0

    def _ints(self, *numbers):
        for number in numbers:
            if not isinstance(number, int):
                self.complain("%r is no integer" % (number,))
            elif not -2000 <= number <= 0xFFFFFF:
                self.complain("%d to draw with" % number)
        self.calls += 1
        clock.work(CALL_US)

    def fillRect(self, x, y, w, h, color):
        self._ints(x, y, w, h, color)
        clock.work(int(PIXEL_US * w * h))

    def fillScreen(self, color):
        self.fillRect(0, 0, self.w, self.h, color)

    def fillEllipse(self, x, y, rx, ry, color):
        self._ints(x, y, rx, ry, color)
        clock.work(int(3.2 * PIXEL_US * rx * ry))

    def fillTriangle(self, x0, y0, x1, y1, x2, y2, color):
        self._ints(x0, y0, x1, y1, x2, y2, color)
        clock.work(20)

    def setFont(self, font):
        if font not in (Fonts.DejaVu12, Fonts.DejaVu18, Fonts.DejaVu40):
            self.complain("the font %r" % font)
        self.font = font

    def setTextColor(self, color, ground):
        self._ints(color, ground)

    def textWidth(self, text):
        if self.font is None:
            self.complain("a width without a font")
        return len(text) * int(self.font[6:]) * 6 // 10

    def drawString(self, text, x, y):
        self._ints(x, y)
        clock.work(60 * len(text))
        self.texts.append(text)
        if len(self.texts) > TEXTS_MAX:
            del self.texts[:TEXTS_MAX // 2]

    def drawPng(self, data, x, y):
        self._ints(x, y)
        if bytes(data[:4]) != b"\x89PNG":
            self.complain("no PNG")
        self._decode(PNG_US, len(data))

    def drawJpg(self, data, x, y):
        self._ints(x, y)
        if bytes(data[:2]) != b"\xff\xd8":
            self.complain("no JPEG")
        if b"\xff\xc2" in bytes(data[:64]):
            self.complain("a progressive JPEG, which is not decoded")
        self._decode(JPEG_US, len(data))

    def _decode(self, whole_us, size):
        """Is one call of the firmware: its time is not the program's."""
        clock.us += min(whole_us, 200 * size)


class Canvas(Gfx):
    def __init__(self, lcd, w, h, complain):
        super().__init__(w, h, complain)
        self._lcd = lcd

    def push(self, x, y):
        self._ints(x, y)
        if not 0 <= y <= self._lcd.h - self.h:
            self.complain("a band at %d" % y)
        clock.work(int(PIXEL_PUSH_US * self.w * self.h))
        self._lcd.pushed[y] = self.calls
        self._lcd.pushes += 1


class Lcd(Gfx):
    def __init__(self, complain):
        super().__init__(320, 240, complain)
        self.pushed = {}
        self.pushes = 0
        self.brightness = None
        self.canvases = []
        self.pictures = []

    def newCanvas(self, w, h, bpp, psram):
        if not psram or bpp != 16:
            self.complain("a canvas of %d bits" % bpp)
        self.canvases.append(Canvas(self, w, h, self.complain))
        return self.canvases[-1]

    def setBrightness(self, level):
        if not isinstance(level, int) or not 0 <= level <= 255:
            self.complain("brightness %r" % level)
        self.brightness = level

    def drawPng(self, data, x, y):
        super().drawPng(data, x, y)
        self.pictures.append(("png", bytes(data)))

    def drawJpg(self, data, x, y):
        super().drawJpg(data, x, y)
        self.pictures.append(("jpeg", bytes(data)))
