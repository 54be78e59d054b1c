# SPDX-License-Identifier: Apache-2.0
"""The robot program on the host board, with a clock that runs faster.

Its folder's settings.json has `speed`. The interpreter's task queue notes real
ticks for what is to run at once: this clock is ahead of them, so that such
tasks come first.
"""

import json
import sys
import time as real

with open(sys.argv[1] + "/settings.json") as file:
    SPEED = json.load(file)["speed"]
BEGAN_MS, BEGAN_US = real.ticks_ms(), real.ticks_us()


class FastTime:
    ticks_add = real.ticks_add
    ticks_diff = real.ticks_diff
    time = real.time
    clock = real.clock
    gmtime = real.gmtime

    @staticmethod
    def ticks_ms():
        return real.ticks_add(
            BEGAN_MS, SPEED * real.ticks_diff(real.ticks_ms(), BEGAN_MS))

    @staticmethod
    def ticks_us():
        return real.ticks_add(
            BEGAN_US, SPEED * real.ticks_diff(real.ticks_us(), BEGAN_US))


sys.modules["time"] = FastTime
import asyncio.core  # noqa: E402

asyncio.core.ticks = FastTime.ticks_ms
QUEUE = asyncio.core._io_queue
wait_slowly = QUEUE.wait_io_event


def wait_io_event(ms):
    wait_slowly(ms if ms <= 0 else max(1, ms // SPEED))


QUEUE.wait_io_event = wait_io_event
program = __file__.rsplit("/test-e2e/", 1)[0] + "/robots/micropython"
sys.path.insert(0, program)
with open(program + "/main.py") as file:
    exec(file.read())
