# SPDX-License-Identifier: Apache-2.0
"""Calls back once, later."""

import asyncio


class Timer:
    """Calls `run` after `ms`, unless it is cancelled before."""

    def __init__(self, ms, run):
        self._run = run
        asyncio.create_task(self._wait(int(ms)))

    async def _wait(self, ms):
        await asyncio.sleep_ms(ms)
        run, self._run = self._run, None
        if run is not None:
            run()

    def cancel(self):
        self._run = None


def cancel(timer):
    if timer is not None:
        timer.cancel()
