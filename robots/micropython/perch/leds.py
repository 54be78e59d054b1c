# SPDX-License-Identifier: Apache-2.0
"""The LEDs: set colours, and effects over them."""

import asyncio
import math
import time

from perch.timers import Timer, cancel

EFFECTS = ("rainbow", "breathe", "chase", "blink", "off")
PERIOD_MS = {"rainbow": 4000, "breathe": 3500, "chase": 1500, "blink": 1000}
# More than three flashes a second can trigger seizures.
FLASH_MS_MIN = 400
FRAME_MS = 50
TAIL = 4
COLOR = "#ffb0f0"


def rgb(color):
    return (int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16))


class Leds:
    """`strip.write(bytes)` lights, three bytes for each LED."""

    def __init__(self, strip, count, tell):
        self._strip = strip
        self._tell = tell
        self._bytes = bytearray(3 * count)
        self._expiry = None
        self._task = None
        self.count = count
        self.pixels = ["#000000"] * count
        self.effect = None

    def set(self, pixels):
        self._change(pixels, None)

    def run(self, effect):
        self._change(self.pixels, effect)
        if effect["seconds"] > 0:
            self._expiry = Timer(effect["seconds"] * 1000, self._end)

    def _end(self):
        self._change(self.pixels, None)

    def _change(self, pixels, effect):
        cancel(self._expiry)
        if self._task is not None:
            self._task.cancel()
            self._task = None
        self.pixels = pixels
        self.effect = effect
        if effect is None:
            self._draw([rgb(pixel) for pixel in pixels])
        elif effect["name"] == "off":
            self._draw([(0, 0, 0)] * self.count)
        else:
            self._task = asyncio.create_task(self._animate(effect))
        self._tell("leds", pixels=pixels, effect=effect)

    def _draw(self, lights):
        for at, light in enumerate(lights):
            self._bytes[3 * at:3 * at + 3] = bytes(light)
        self._strip.write(self._bytes)

    async def _animate(self, effect):
        began = time.ticks_ms()
        while True:
            ms = time.ticks_diff(time.ticks_ms(), began)
            self._draw(lights_of(effect, self.count, ms))
            await asyncio.sleep_ms(FRAME_MS)


def lights_of(effect, count, ms):
    """Returns the colours of an effect `ms` after its begin."""
    name, speed = effect["name"], effect["speed"]
    turn = ms * speed / PERIOD_MS[name]
    color = rgb(effect["color"] or COLOR)
    if name == "rainbow":
        palette = [rgb(one) for one in effect["palette"]]
        return [_around(palette, at / count + turn) for at in range(count)]
    if name == "breathe":
        share = 0.02 + 0.98 * (0.5 - 0.5 * math.cos(2 * math.pi * turn))
        return [_dimmed(color, share)] * count
    if name == "chase":
        behind = [(turn * count - at) % count for at in range(count)]
        return [_dimmed(color, max(0, 1 - b / TAIL) ** 2) for b in behind]
    period = max(PERIOD_MS["blink"] / speed, FLASH_MS_MIN)
    return [color if (ms / period) % 1 < 0.5 else (0, 0, 0)] * count


def _dimmed(color, share):
    return tuple(int(channel * share) for channel in color)


def _around(palette, place):
    at = place % 1 * len(palette)
    index = int(at) % len(palette)
    one, other = palette[index], palette[(index + 1) % len(palette)]
    share = at - int(at)
    return tuple(int(a + (b - a) * share) for a, b in zip(one, other))
