# SPDX-License-Identifier: Apache-2.0
"""Time since the boot, which never wraps, and the service's time."""

import time


class Clock:
    def __init__(self):
        self._ticks = time.ticks_ms()
        self._ms = 0
        self._unix_ms_at_boot = None

    def ms(self):
        """Extends the ticks, which wrap after some days on small chips.

        It has to be called more than once in half of that time; the link
        does so at every frame.
        """
        ticks = time.ticks_ms()
        self._ms += time.ticks_diff(ticks, self._ticks)
        self._ticks = ticks
        return self._ms

    def set_unix_ms(self, unix_ms):
        self._unix_ms_at_boot = unix_ms - self.ms()

    def unix_s(self):
        if self._unix_ms_at_boot is None:
            return None
        return (self._unix_ms_at_boot + self.ms()) // 1000
