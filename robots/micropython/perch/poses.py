# SPDX-License-Identifier: Apache-2.0
"""The faces at rest as numbers, the same as packages/screen/src/face.

A pose is an array of small integers, so that mixing two creates no object:
lengths in tenths of a pixel of a screen of 320 x 240, shares in 256ths.
"""

from array import array

# x y w h open bend: open 256 is open, 0 flat, -256 a line bent by `bend`.
LEFT, RIGHT = 0, 6
# x0 y0 cx cy x1 y1 opacity
LEFT_BROW, RIGHT_BROW = 12, 19
# The upper lip x0 y0 cx0 cy0 mx my cx1 cy1 x1 y1, and the lower one back
# lcx1 lcy1 lx ly lcx0 lcy0; the width of its line.
MOUTH, MOUTH_LINE = 26, 42
# x y rx ry share
RING = 43
LIDS, TONGUE, CHEEKS, TEAR, ZZZ, ZZZ_Y = 48, 49, 50, 51, 52, 53
FACE_X, FACE_Y, GAZE_X, GAZE_Y = 54, 55, 56, 57
# Spirals in the eyes: share, and rotation in degrees.
SPIRAL, SPIRAL_TURN = 58, 59
SIZE = 60
LINE = 90
ONE = 256


def _open(x, y, w, h=None):
    return [x, y, w, w if h is None else h, 25.6, 14]


def _closed(x, y, bend):
    return [x, y, 32.5, 22, -25.6, bend]


def _brow(x0, y0, cx, cy, x1, y1, opacity=0):
    return [x0, y0, cx, cy, x1, y1, opacity * 25.6]


def _lips(x0, y0, cx0, cy0, mx, my, cx1, cy1, x1, y1):
    """A closed mouth: the lower lip lies on the upper one."""
    return [x0, y0, cx0, cy0, mx, my, cx1, cy1, x1, y1,
            cx1, cy1, mx, my, cx0, cy0, 9]


def _curve(x0, y0, cx, cy, x1, y1):
    ax, ay, bx, by = (x0 + cx) / 2, (y0 + cy) / 2, (cx + x1) / 2, (cy + y1) / 2
    return _lips(x0, y0, ax, ay, (ax + bx) / 2, (ay + by) / 2, bx, by, x1, y1)


def _point(x, y):
    return _curve(x, y, x, y, x, y)[:-1] + [0]


def _pose(left, right, mouth, brows=None, ring=(160, 178, 13, 10, 0),
          lids=0, tongue=0, cheeks=0, tear=0, zzz=0):
    brows = brows or (_brow(62, 70, 94, 56, 124, 64)
                      + _brow(258, 70, 226, 56, 196, 64))
    shares = [share * 25.6 for share in (ring[4], lids, tongue, cheeks,
                                         tear, zzz)]
    numbers = left + right + brows + mouth + list(ring[:4]) + shares
    numbers += [0] * (SIZE - len(numbers))
    return array("h", [round(10 * number) for number in numbers])


_HAPPY_MOUTH = [116, 150, 138, 156, 160, 156, 182, 156, 204, 150,
                196, 200, 160, 200, 124, 200, 0]
_SLEEPY = _pose(_closed(96, 112, 20), _closed(224, 112, 20),
                _point(160, 178), ring=(160, 178, 13, 10, 1), cheeks=0.3,
                zzz=0.7)

POSES = {
    "neutral": _pose(
        _open(98, 112, 22, 28), _open(222, 112, 22, 28),
        _curve(130, 163, 160, 190, 190, 163), cheeks=0.3),
    "happy": _pose(
        _closed(96, 116, -44), _closed(224, 116, -44), _HAPPY_MOUTH,
        tongue=1, cheeks=0.55),
    "angry": _pose(
        _open(96, 116, 21), _open(224, 116, 21),
        _curve(122, 186, 160, 160, 198, 186),
        _brow(60, 72, 95, 89, 130, 106, 1)
        + _brow(260, 72, 225, 89, 190, 106, 1), lids=1),
    "sad": _pose(
        _open(96, 114, 20), _open(224, 114, 20),
        _curve(126, 190, 160, 158, 194, 190),
        _brow(62, 92, 88, 84, 112, 64, 1)
        + _brow(258, 92, 232, 84, 208, 64, 1), tear=1),
    "doubt": _pose(
        _open(96, 110, 24), _open(224, 116, 15),
        _lips(120, 178, 138, 164, 158, 176, 178, 188, 198, 170),
        _brow(62, 68, 94, 44, 128, 64, 1)
        + _brow(256, 82, 225, 85, 194, 88, 1)),
    "sleepy": _SLEEPY,
    "asleep": _SLEEPY,
    "petted": _pose(
        _closed(96, 112, -34), _closed(224, 112, -34),
        _curve(126, 164, 160, 196, 194, 164), cheeks=0.5),
    "shaken": _pose(
        _open(96, 108, 29), _open(224, 108, 29),
        _lips(124, 178, 142, 162, 160, 176, 178, 190, 196, 174)),
    "lifted": _pose(
        _open(96, 110, 28), _open(224, 110, 28), _point(160, 182),
        _brow(66, 66, 94, 46, 122, 58, 1)
        + _brow(254, 66, 226, 46, 198, 58, 1), ring=(160, 182, 12, 15, 1),
        cheeks=0.3),
}
POSES["shaken"][SPIRAL] = ONE


def eased(ms, length):
    """Returns 0 at 0 ms, 256 at `length` and after, without a jerk."""
    if ms <= 0:
        return 0
    if ms >= length:
        return ONE
    t = ms * ONE // length
    return t * t * (3 * ONE - 2 * t) >> 16


def mix(pose, other, share):
    """Moves `pose` towards another."""
    if share <= 0:
        return
    for at in range(SIZE):
        pose[at] += (other[at] - pose[at]) * share >> 8
