# SPDX-License-Identifier: Apache-2.0
"""The screen of a StackChan by the firmware's drawing functions."""

from perch.args import Nack
from perch.media_size import size_of

W, H = 320, 240
# A turn of the loop draws and sends one band.
BANDS = 3
BAND_H = H // BANDS
FONTS = {1: "DejaVu12", 2: "DejaVu18", 4: "DejaVu40"}
HEIGHTS = {1: 12, 2: 18, 4: 40}
BRIGHTNESS_MAX = 255


def is_progressive(data):
    """Whether a JPEG is one that the firmware does not decode."""
    at = 2
    while at + 4 <= len(data) and data[at] == 0xFF:
        if data[at + 1] in (0xC2, 0xC6, 0xCA, 0xCE):
            return True
        if data[at + 1] in (0xC0, 0xC1, 0xDA):
            return False
        at += 2 + (data[at + 2] << 8 | data[at + 3])
    return False


def draw_picture(target, picture, x, y):
    if picture.format == "png":
        target.drawPng(picture.data, x, y)
    else:
        target.drawJpg(picture.data, x, y)


class Canvas:
    """Draws one band; rows beyond it are cut off by the firmware."""

    def __init__(self, lcd):
        self.band = lcd.newCanvas(W, BAND_H, 16, True)
        self._fonts = lcd.FONTS
        self._font = None
        self.top = 0

    def fill(self, color):
        self.band.fillRect(0, 0, W, BAND_H, color)

    def rect(self, x, y, w, h, color):
        if self._shows(y, y + h):
            self.band.fillRect(x, y - self.top, w, h, color)

    def ellipse(self, x, y, rx, ry, color):
        if self._shows(y - ry, y + ry):
            self.band.fillEllipse(x, y - self.top, rx, ry, color)

    def polygon(self, points, color):
        """Row by row, as the outline may bend inwards; quads by triangles."""
        top = bottom = points[1]
        for i in range(3, len(points), 2):
            top = min(top, points[i])
            bottom = max(bottom, points[i])
        if not self._shows(top, bottom):
            return
        if len(points) == 8:
            x0, y0, x1, y1, x2, y2, x3, y3 = points
            up = self.top
            self.band.fillTriangle(
                x0, y0 - up, x1, y1 - up, x2, y2 - up, color)
            self.band.fillTriangle(
                x0, y0 - up, x2, y2 - up, x3, y3 - up, color)
            return
        for y in range(max(top, self.top),
                       min(bottom, self.top + BAND_H - 1) + 1):
            crossings = _crossings(points, y)
            for i in range(0, len(crossings) - 1, 2):
                self.band.fillRect(
                    crossings[i], y - self.top,
                    crossings[i + 1] - crossings[i] + 1, 1, color)

    def width(self, text, size):
        self._use(size)
        return self.band.textWidth(text)

    def text(self, text, x, y, size, color):
        height = HEIGHTS[size]
        if not self._shows(y - height, y + height):
            return
        self._use(size)
        # The same colour for letters and ground leaves the ground out.
        self.band.setTextColor(color, color)
        left = x - self.band.textWidth(text) // 2
        self.band.drawString(text, left, y - height // 2 - self.top)

    def picture(self, picture, x, y):
        draw_picture(self.band, picture, x, y - self.top)

    def _use(self, size):
        if self._font != size:
            self._font = size
            self.band.setFont(getattr(self._fonts, FONTS[size]))

    def _shows(self, top, bottom):
        return bottom >= self.top and top < self.top + BAND_H


def _crossings(points, y):
    """Returns where a row enters and leaves an outline, sorted."""
    found = []
    count = len(points)
    x0, y0 = points[count - 2], points[count - 1]
    for i in range(0, count, 2):
        x1, y1 = points[i], points[i + 1]
        if (y0 <= y) != (y1 <= y):
            found.append(x0 + (x1 - x0) * (y - y0) // (y1 - y0))
        x0, y0 = x1, y1
    found.sort()
    return found


class Panel:
    def __init__(self, lcd):
        lcd.setBrightness(0)
        self._lcd = lcd
        self.bands = BANDS
        self.canvas = Canvas(lcd)
        self._stickers = {}
        self._list = []

    def begin(self, band):
        self.canvas.top = band * BAND_H

    def flush(self):
        top = self.canvas.top
        for one in self._list:
            data = self._stickers.get(one["id"])
            if data is not None and (
                    one["y"] < top + BAND_H and one["y"] + one["h"] > top):
                form, kept = data
                draw = self.canvas.band.drawPng
                if form == "jpeg":
                    draw = self.canvas.band.drawJpg
                draw(kept, one["x"], one["y"] - top)
        self.canvas.band.push(0, top)

    def show(self, picture):
        if picture is None:
            return
        if picture.format == "jpeg" and is_progressive(picture.data):
            raise Nack("hardware", "this screen shows no progressive JPEG")
        if size_of(picture.data) != (W, H):
            self._lcd.fillScreen(0)
        draw_picture(self._lcd, picture, 0, 0)

    def keep(self, _layer, _picture):
        return None

    def set_stickers(self, stickers, name, picture):
        self._list = stickers
        if picture is not None:
            self._stickers[name] = (picture.format, bytes(picture.data))
        shown = [one["id"] for one in stickers]
        for kept in list(self._stickers):
            if kept not in shown:
                self._stickers.pop(kept)

    def light(self, pct):
        self._lcd.setBrightness(pct * BRIGHTNESS_MAX // 100)
