# SPDX-License-Identifier: Apache-2.0
"""Time that passes where the program waits or a driver takes long.

Import it before anything that imports time or asyncio. The interpreter's own
task queue notes real ticks for what is to run at once: this clock is ahead of
them, so that such tasks come first.
"""

import sys
import time as real

AHEAD_MS = 1000000


class ChipReset(BaseException):
    """Nothing of the program runs any more."""


class Clock:
    def __init__(self):
        self.us = 1000 * (real.ticks_ms() + AHEAD_MS)
        # Of drivers, in this turn of the loop and in the longest.
        self.turn_us = 0
        self.longest_us = 0
        self.turns = []
        # When the watchdog restarts the chip.
        self.fires_us = None

    def work(self, us):
        """A driver's call takes this long, and blocks the loop."""
        self.us += us
        self.turn_us += us
        self.check()

    def check(self):
        if self.fires_us is not None and self.us > self.fires_us:
            self.fires_us = None
            raise ChipReset()

    def end_turn(self):
        if self.turn_us > self.longest_us:
            self.longest_us = self.turn_us
        self.turn_us = 0


clock = Clock()


class FakeTime:
    ticks_add = real.ticks_add
    ticks_diff = real.ticks_diff

    @staticmethod
    def ticks_ms():
        return clock.us // 1000

    @staticmethod
    def ticks_us():
        return clock.us

    @staticmethod
    def sleep_ms(ms):
        clock.work(1000 * ms)

    gmtime = real.gmtime
    zone = None
    zones_stored = 0

    @classmethod
    def timezone(cls, zone=None):
        """UIFlow2's own; it stores what it is given."""
        if zone is None:
            return cls.zone
        cls.zone = zone
        cls.zones_stored += 1

    @staticmethod
    def time():
        return clock.us // 1000000


sys.modules["time"] = FakeTime
import asyncio.core  # noqa: E402

asyncio.core.ticks = FakeTime.ticks_ms


def wait_io_event(dt):
    clock.end_turn()
    if dt < 0:
        raise RuntimeError("nothing is left to do")
    clock.us += 1000 * dt
    clock.check()


if sys.platform == "webassembly":
    import wasm_loop

    wasm_loop.fill_in()
    asyncio.run = wasm_loop.run_with(wait_io_event)
else:
    asyncio.core._io_queue.wait_io_event = wait_io_event
