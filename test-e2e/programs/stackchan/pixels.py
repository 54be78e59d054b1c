# SPDX-License-Identifier: Apache-2.0
"""`micropython pixels.py PROGRAM`: faces in bands, as on the host's screen."""

import sys
from array import array

import framebuf

sys.path.append(sys.argv[1])

from perch.boards.host_canvas import HostCanvas, rgb565  # noqa: E402
from perch.boards.stackchan_screen import BAND_H, BANDS, Canvas  # noqa: E402
from perch.draw import FaceDrawing  # noqa: E402
from perch.life import place_above  # noqa: E402
from perch.poses import POSES  # noqa: E402

W = 320
# Triangles and rows end half a pixel elsewhere than polygons do.
DIFFERENT_MAX = W * 240 // 100


class Band:
    """Draws what the firmware's functions of the same names draw."""

    def __init__(self, w, h):
        self.pixels = bytearray(2 * w * h)
        self._buffer = framebuf.FrameBuffer(
            self.pixels, w, h, framebuf.RGB565)

    def fillRect(self, x, y, w, h, color):
        self._buffer.fill_rect(x, y, w, h, rgb565(color))

    def fillEllipse(self, x, y, rx, ry, color):
        self._buffer.ellipse(x, y, rx, ry, rgb565(color), True)

    def fillTriangle(self, x0, y0, x1, y1, x2, y2, color):
        points = array("h", (x0, y0, x1, y1, x2, y2))
        self._buffer.poly(0, 0, points, rgb565(color), True)


class Lcd:
    FONTS = None

    def newCanvas(self, w, h, _bpp, _psram):
        return Band(w, h)


def difference(pose, place):
    whole, bands = HostCanvas(), Canvas(Lcd())
    FaceDrawing(whole).draw(pose, place)
    count = 0
    for band in range(BANDS):
        bands.top = band * BAND_H
        FaceDrawing(bands).draw(pose, place)
        begin = 2 * W * bands.top
        expected, drawn = whole.pixels, bands.band.pixels
        for at in range(0, len(drawn), 2):
            if (drawn[at] != expected[begin + at]
                    or drawn[at + 1] != expected[begin + at + 1]):
                count += 1
    return count


for name, pose in POSES.items():
    for top in (None, 150):
        count = difference(pose, place_above(top))
        print("%s: %d pixels" % (name, count))
        if count > DIFFERENT_MAX:
            sys.exit(1)
print("done")
