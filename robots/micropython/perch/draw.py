# SPDX-License-Identifier: Apache-2.0
"""Draws a pose with ellipses and polygons, which every screen has."""

from array import array
from math import cos, pi, sin

from perch import poses
from perch.poses import LINE, MOUTH, ONE

INK, GROUND = 0xF2F6FF, 0x0A0D14
TONGUE, CHEEK, TEAR = 0xFF7A8A, 0xFF7A9C, 0x6DB5FF
FAINT = 6
STEPS = 6
SPIRAL_STEPS, SPIRAL_TURNS = 22, 2.2
LIDS = (56, 66, 136, 106, 136, 74, 80, 52)
TONGUE_AT = (138, 190, 160, 172, 182, 190, 172, 199, 160, 199, 148, 199,
             138, 190)
TEAR_AT = (66, 146, 52, 168, 66, 176, 80, 168, 66, 146)
LETTERS = ((238, 82, 256, 82, 238, 100, 256, 100),
           (264, 52, 286, 52, 264, 76, 286, 76))


def blend(color, share):
    """Returns a colour over the ground, `share` of 256 opaque."""
    mixed = 0
    for shift in (16, 8, 0):
        under = GROUND >> shift & 255
        over = color >> shift & 255
        mixed |= under + ((over - under) * min(share, ONE) >> 8) << shift
    return mixed


class FaceDrawing:
    """`canvas` has fill, ellipse(x, y, rx, ry, color), polygon(xys, color).

    Positions given to its methods are tenths of a pixel of the face.
    """

    def __init__(self, canvas):
        self._canvas = canvas
        self._place = (0, 0, 1024)
        self._dx = self._dy = 0
        self._quad = array("h", [0] * 8)

    def draw(self, pose, place):
        self._canvas.fill(GROUND)
        self._place = place
        gaze = (pose[poses.GAZE_X], pose[poses.GAZE_Y])
        face = (pose[poses.FACE_X], pose[poses.FACE_Y])

        def shift(tenths):
            self._dx = face[0] + gaze[0] * tenths // 10
            self._dy = face[1] + gaze[1] * tenths // 10

        shift(10)
        self._eye(pose, poses.LEFT, -gaze[0])
        self._eye(pose, poses.RIGHT, gaze[0])
        if pose[poses.SPIRAL] >= FAINT:
            turn = pose[poses.SPIRAL_TURN] * pi / 180
            self._spiral(pose, poses.LEFT, turn)
            self._spiral(pose, poses.RIGHT, -turn)
        if pose[poses.LIDS] >= FAINT:
            self._lids(46 * (ONE - pose[poses.LIDS]) * 10 >> 8)
        shift(8)
        for brow in (poses.LEFT_BROW, poses.RIGHT_BROW):
            if pose[brow + 6] >= FAINT:
                self._stroke(self._curve(pose, brow), LINE,
                             blend(INK, pose[brow + 6]))
        shift(5)
        self._mouth(pose)
        shift(7)
        if pose[poses.CHEEKS] >= FAINT:
            color = blend(CHEEK, pose[poses.CHEEKS])
            for x in (600, 2600):
                self._ellipse(x, 1500, 220, 130, color)
        shift(8)
        if pose[poses.TEAR] >= FAINT:
            self._fill(self._curves(TEAR_AT, 0), blend(TEAR, pose[poses.TEAR]))
        self._dx, self._dy = face[0], face[1] - pose[poses.ZZZ_Y]
        if pose[poses.ZZZ] >= FAINT:
            color = blend(INK, pose[poses.ZZZ])
            for letter in LETTERS:
                self._stroke([10 * n for n in letter], 50, color)

    def _eye(self, pose, at, nearer):
        """The eye on the side to which the face looks is larger."""
        size = 1024 + nearer * 1024 // 2200
        x, y, is_open = pose[at], pose[at + 1], pose[at + 4]
        w, h = pose[at + 2] * size >> 10, pose[at + 3] * size >> 10
        flat = LINE // 2
        if is_open > 0:
            self._ellipse(x, y, w, flat + ((h - flat) * is_open >> 8), INK)
            return
        bend = -is_open * pose[at + 5] >> 8
        ends = (x - w + flat, y, x, y + bend, x + w - flat, y)
        self._stroke(self._curve(ends, 0), LINE, INK)

    def _spiral(self, pose, at, turn):
        """As wide as what is open of the eye, and as strong as its share."""
        flat = LINE / 2
        w = 0.86 * pose[at + 2]
        h = 0.86 * (flat + max(0, pose[at + 4]) * (pose[at + 3] - flat) / ONE)
        xys = []
        for step in range(SPIRAL_STEPS + 1):
            share = step / SPIRAL_STEPS
            angle = 2 * pi * SPIRAL_TURNS * share + turn
            xys.append(pose[at] + int(w * share * cos(angle)))
            xys.append(pose[at + 1] + int(h * share * sin(angle)))
        self._stroke(xys, 45 * pose[poses.SPIRAL] >> 8, GROUND)

    def _lids(self, up):
        for mirrored in (False, True):
            xys = []
            for i in range(0, 8, 2):
                x = 320 - LIDS[i] if mirrored else LIDS[i]
                xys += [10 * x, 10 * LIDS[i + 1] - up]
            self._fill(xys, GROUND)

    def _mouth(self, pose):
        m = MOUTH
        upper = self._curve(pose, m) + self._curve(pose, m + 4)[2:]
        is_open = abs(pose[m + 13] - pose[m + 5]) >= 5
        if is_open:
            lower = (pose[m + 8], pose[m + 9], pose[m + 10], pose[m + 11],
                     pose[m + 12], pose[m + 13], pose[m + 14], pose[m + 15],
                     pose[m], pose[m + 1])
            upper += self._curve(lower, 0)[2:] + self._curve(lower, 4)[2:]
            self._fill(upper, INK)
        if pose[poses.MOUTH_LINE] >= 5:
            self._stroke(upper, pose[poses.MOUTH_LINE], INK)
        x, y, rx, ry, share = pose[poses.RING:poses.RING + 5]
        if share >= FAINT:
            line = LINE * min(ONE, 4 * share) >> 9
            rx, ry = rx * share >> 8, ry * share >> 8
            self._ellipse(x, y, rx + line, ry + line, INK)
            if rx > line and ry > line:
                self._ellipse(x, y, rx - line, ry - line, GROUND)
        if pose[poses.TONGUE] > 180:
            color = TONGUE if pose[poses.TONGUE] > 240 else blend(
                TONGUE, (pose[poses.TONGUE] - 180) * 4)
            self._fill(self._curves(TONGUE_AT, pose[m + 13] - 2000), color)

    def _curves(self, points, down):
        xys = [10 * n for n in points]
        for i in range(1, len(xys), 2):
            xys[i] += down
        line = []
        for i in range(0, len(xys) - 4, 4):
            line += self._curve(xys, i)[2 if line else 0:]
        return line

    def _curve(self, numbers, at):
        """Returns the points of a quadratic curve."""
        x0, y0, cx, cy, x1, y1 = numbers[at:at + 6]
        xys = []
        for step in range(STEPS + 1):
            rest = STEPS - step
            a, b, c = rest * rest, 2 * rest * step, step * step
            xys.append((a * x0 + b * cx + c * x1) // (STEPS * STEPS))
            xys.append((a * y0 + b * cy + c * y1) // (STEPS * STEPS))
        return xys

    # To pixels of the screen.

    def _x(self, x):
        return (self._place[0] + ((x + self._dx) * self._place[2] >> 10))

    def _y(self, y):
        return (self._place[1] + ((y + self._dy) * self._place[2] >> 10))

    def _ellipse(self, x, y, rx, ry, color):
        scale = self._place[2]
        self._canvas.ellipse(
            (self._x(x) + 5) // 10, (self._y(y) + 5) // 10,
            max(1, (rx * scale // 1024 + 5) // 10),
            max(1, (ry * scale // 1024 + 5) // 10), color)

    def _fill(self, xys, color):
        points = array("h", xys)
        for i in range(0, len(points), 2):
            points[i] = (self._x(xys[i]) + 5) // 10
            points[i + 1] = (self._y(xys[i + 1]) + 5) // 10
        self._canvas.polygon(points, color)

    def _stroke(self, xys, width, color):
        """A line with round ends: a disc at each point, quads between."""
        half = width * self._place[2] // 2048
        radius = max(1, (half + 5) // 10)
        quad = self._quad
        px, py = self._x(xys[0]), self._y(xys[1])
        self._canvas.ellipse((px + 5) // 10, (py + 5) // 10,
                             radius, radius, color)
        for i in range(2, len(xys), 2):
            x, y = self._x(xys[i]), self._y(xys[i + 1])
            way = int(((x - px) ** 2 + (y - py) ** 2) ** 0.5)
            if way > 0:
                nx, ny = (py - y) * half // way, (x - px) * half // way
                corners = (px + nx, py + ny, x + nx, y + ny,
                           x - nx, y - ny, px - nx, py - ny)
                for at in range(8):
                    quad[at] = (corners[at] + 5) // 10
                self._canvas.polygon(quad, color)
            self._canvas.ellipse((x + 5) // 10, (y + 5) // 10,
                                 radius, radius, color)
            px, py = x, y
