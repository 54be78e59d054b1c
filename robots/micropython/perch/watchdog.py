# SPDX-License-Identifier: Apache-2.0
"""Restarts the robot when its loop hangs.

A watchdog of the chip cannot be stopped. What interrupts the program, as the
installer and a terminal do, calls `hold`: it then has `HELD_MS` between two
calls, after which an abandoned robot starts its program again.
"""

import asyncio

# Longer than any call of the firmware that blocks: a name is looked up for
# up to 30 s, and a step of a TLS handshake takes some seconds.
TIMEOUT_MS = 60000
FEED_MS = 1000
HELD_MS = 600000

_begin = None
_dog = None


def start(begin):
    """`begin(ms)` returns the running watchdog, or None where there is none.

    On an ESP32 a second call changes the time.
    """
    global _begin, _dog
    _begin = begin
    _dog = begin(TIMEOUT_MS)


def feed():
    if _dog is not None:
        _dog.feed()


async def run():
    while _dog is not None:
        feed()
        await asyncio.sleep_ms(FEED_MS)


def hold():
    """The loop does not run, and nothing else feeds the watchdog."""
    if _dog is None:
        return
    try:
        _begin(HELD_MS)
    except Exception:
        # The time cannot be changed: who holds it calls often.
        pass
    feed()
