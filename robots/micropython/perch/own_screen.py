# SPDX-License-Identifier: Apache-2.0
"""The robot's own screen: face with bubble, notices, the pairing code.

`canvas` draws as for FaceDrawing, and has rect(x, y, w, h, color),
text(s, x, y, size, color) with its middle at x, width(s, size) and
picture(picture, x, y). Size 1 is the smallest font, 2 for reading, 4 large.
"""

from perch.draw import GROUND, INK, TEAR
from perch.media_size import size_of
from perch.qr import qr

PAPER, PAPER_INK = 0xFFFFFF, 0x12151C
WIDTH, BOTTOM, POINTER = 300, 232, 14
LINE_HEIGHT = 22
LINES_MAX = 6
DETAIL_CHARS = 39
QUIET = 4
NOTICES = {
    "wifi": ("No Wi-Fi", "Is the network there?"),
    "looking": ("Looking for Perch", "Is it running?"),
    "refused": ("Wrong version", "Install Perch on the robot again"),
    "foreign": (
        "Another Perch answers", "It is not the one I was installed for"),
    "plain": ("Not encrypted", "Install me with wss://"),
    "updating": ("Being updated", "Leave the power on"),
    "head": ("Head off", ""),
    "battery": ("Battery low", "Plug me in"),
}


class Bubble:
    def __init__(self, canvas, text, picture=None):
        self._picture = picture
        self._lines = []
        if picture is None:
            self._lines = wrap(canvas, text, 2, WIDTH - 28)[:LINES_MAX]
            self.h = len(self._lines) * LINE_HEIGHT + 16
        else:
            self._size = size_of(picture.data) or (WIDTH, 60)
            self.h = min(200, self._size[1]) + 4
        self._y = BOTTOM - self.h
        self.top = self._y - POINTER

    def draw(self, canvas):
        y = self._y
        canvas.rect(10, y + 10, WIDTH, self.h - 20, PAPER)
        canvas.rect(20, y, WIDTH - 20, self.h, PAPER)
        for x in (20, WIDTH):
            for middle in (y + 10, y + self.h - 11):
                canvas.ellipse(x, middle, 10, 10, PAPER)
        canvas.polygon([150, y + 2, 160, self.top, 176, y + 2], PAPER)
        if self._picture is not None:
            canvas.picture(
                self._picture, 160 - self._size[0] // 2, y + 2)
        for at, line in enumerate(self._lines):
            middle = y + 8 + LINE_HEIGHT * at + LINE_HEIGHT // 2
            canvas.text(line, 160, middle, 2, PAPER_INK)


def words_of(name, detail):
    """Returns the two lines of a notice; of none they are empty."""
    title, otherwise = NOTICES[name] if name else ("", "")
    return title, (detail or otherwise)[:DETAIL_CHARS]


class Notice:
    """The robot sleeps above a strip of text."""

    def __init__(self, name, detail=None):
        self.name = name
        self._title, self._detail = words_of(name, detail)
        self.top = 184

    def draw(self, canvas):
        canvas.rect(0, self.top, 320, 240 - self.top, GROUND)
        canvas.text(self._title, 160, 202, 2, INK)
        if self._detail:
            canvas.text(self._detail, 160, 224, 1, TEAR)


class Choice:
    """Two lines, and two buttons below."""

    top = 150

    def __init__(self, lines, left, right):
        self._lines = lines
        self._buttons = (left, right)

    def hit(self, x, y):
        """Returns whether it is the right one, or None beside both."""
        return None if y < self.top else x >= 160

    def draw(self, canvas):
        canvas.fill(GROUND)
        for at, line in enumerate(self._lines):
            canvas.text(line, 160, 50 + 40 * at, 2, INK)
        for at, text in enumerate(self._buttons):
            if text:
                canvas.rect(6 + 160 * at, self.top, 148, 80, PAPER)
                canvas.text(text, 80 + 160 * at, 190, 2, PAPER_INK)


class Pairing:
    """The code in large letters, and a QR code that opens the page."""

    def __init__(self, code, uri):
        self._code = code
        self._rows = qr(uri)
        page = uri.split("?")[0].split("//")[-1]
        self._page = page.replace("/", " /", 1)

    def draw(self, canvas):
        canvas.fill(GROUND)
        canvas.text(self._code, 160, 30, 4, INK)
        rows, left = self._rows, 160
        if rows is not None:
            side = len(rows) + 2 * QUIET
            pixel = 172 // side
            x, y = 8, 60
            left = (8 + side * pixel + 320) // 2
            canvas.rect(x, y, side * pixel, side * pixel, PAPER)
            for r, row in enumerate(rows):
                for c, dark in enumerate(row):
                    if dark:
                        canvas.rect(x + (QUIET + c) * pixel,
                                    y + (QUIET + r) * pixel,
                                    pixel, pixel, 0)
        lines = ["Scan", "or type", "the code at"]
        for at, line in enumerate(lines if rows else lines[1:]):
            canvas.text(line, left, 90 + 24 * at, 1, INK)
        room = 2 * (316 - left)
        for at, line in enumerate(wrap(canvas, self._page, 1, room)):
            canvas.text(line, left, 170 + 14 * at, 1, TEAR)


def draw_readings(canvas, readings):
    canvas.fill(GROUND)
    for at, name in enumerate(sorted(readings)[:9]):
        y = 18 + 25 * at
        canvas.text("%s %s" % (name, readings[name]), 160, y, 1, INK)


def wrap(canvas, text, size, width):
    lines, line = [], ""
    for word in text.split():
        for part in broken(canvas, word, size, width):
            longer = line + " " + part if line else part
            if line and canvas.width(longer, size) > width:
                lines.append(line)
                longer = part
            line = longer
    return lines + [line] if line else lines


def broken(canvas, word, size, width):
    """Returns the parts of a word that is longer than a line."""
    parts, part = [], ""
    for letter in word:
        if part and canvas.width(part + letter, size) > width:
            parts.append(part)
            part = ""
        part += letter
    return parts + [part] if part else parts
