# SPDX-License-Identifier: Apache-2.0
"""What a burst of acceleration feels like, for the face alone.

A short form of what the service decides, which alone makes events.
"""

SWING_G, SWINGS_MIN, WITHIN_S, SPAN_S = 0.8, 4, 1, 0.25
REST_SAMPLES, REST_G, OFF_G = 5, 0.05, 0.08
DEAD_G, SPEED_MIN, HEIGHT_MIN = 0.02, 0.2, 0.06
METRES_PER_S2 = 9.81


def motion_of(samples, hz):
    """Returns "shaken", "lifted" or None. `samples`: [x, y, z] in g."""
    if hz < 10 or len(samples) <= REST_SAMPLES:
        return None
    if _is_shaken(samples, hz):
        return "shaken"
    return "lifted" if _is_lifted(samples, hz) else None


def _mean(samples):
    count = len(samples)
    return [sum(one[axis] for one in samples) / count for axis in range(3)]


def _is_shaken(samples, hz):
    """Strong reversals along the axis of the strongest sample."""
    mean = _mean(samples)
    axis, farthest = None, 0
    for one in samples:
        away = [one[i] - mean[i] for i in range(3)]
        square = sum(part * part for part in away)
        if square > farthest:
            axis, farthest = away, square
    if farthest < SWING_G * SWING_G:
        return False
    length = farthest ** 0.5
    side, swings = 0, []
    for at, one in enumerate(samples):
        g = sum((one[i] - mean[i]) * axis[i] for i in range(3)) / length
        now = 1 if g >= SWING_G else -1 if g <= -SWING_G else 0
        if now in (0, side):
            continue
        side = now
        swings.append(at)
        while at - swings[0] > WITHIN_S * hz:
            swings.pop(0)
        long_enough = at - swings[0] >= SPAN_S * hz
        if len(swings) > SWINGS_MIN - 1 and long_enough:
            return True
    return False


def _is_lifted(samples, hz):
    """Upward from rest: integrated to speed and height."""
    rest = samples[:REST_SAMPLES]
    mean = _mean(rest)
    gravity = sum(part * part for part in mean) ** 0.5
    if abs(gravity - 1) > OFF_G:
        return False
    for one in rest:
        if sum((one[i] - mean[i]) ** 2 for i in range(3)) > REST_G * REST_G:
            return False
    up = []
    for one in samples:
        along = sum(one[i] * mean[i] for i in range(3)) / gravity
        up.append(along - max(1, gravity))
    speed = height = 0
    fast = False
    for at in range(len(up)):
        # The median of 100 ms: vibrations of a knock are shorter.
        reach = max(1, int(0.05 * hz))
        around = sorted(up[max(0, at - reach):at + reach + 1])
        g = around[len(around) >> 1]
        if abs(g) > DEAD_G:
            less = DEAD_G if g > 0 else -DEAD_G
            speed += (g - less) * METRES_PER_S2 / hz
        height += speed / hz
        fast = fast or speed >= SPEED_MIN
        if fast and height >= HEIGHT_MIN:
            return True
    return False
