# SPDX-License-Identifier: Apache-2.0
"""`micropython watchdog.py PROGRAM CHECK FOLDER`: hangs and long calls."""

from bench import Bench, FakeTime, same, world
from fake_clock import ChipReset
from fake_modules import Wdt

import asyncio
import binascii
import hashlib
import json
import sys

import perch.date
import perch.update
import perch.ws
from perch import watchdog
from perch.slots import Slots

REST_S, HOUR_S = 200, 3600
# A name that is looked up blocks, and so does a step of a TLS handshake.
LOOKUP_MS, STEP_MS, STEPS = 30000, 5000, 4
ERASE_MS, PART_BYTES = 400, 4096


def is_reset_within(ms):
    """Whether the chip is reset while the loop hangs that long."""
    try:
        for _ in range(ms // 1000):
            FakeTime.sleep_ms(1000)
    except ChipReset:
        return True
    return False


async def hang():
    bench = Bench()
    bench.start()
    await asyncio.sleep(REST_S)
    same(Wdt.times_ms, [watchdog.TIMEOUT_MS], "at rest")
    same(is_reset_within(watchdog.TIMEOUT_MS - 5000), False, "a long call")
    await asyncio.sleep(5)
    same(is_reset_within(watchdog.TIMEOUT_MS + 5000), True, "a hang")
    world.reset_cause = 3
    hello = bench.robot.hello(1, "start")
    same(hello["boot"]["cause"], "watchdog", "what the next hello says")


async def handshakes():
    """The clock is set and the link dialled, each at a slow address."""
    dials = []

    async def slow_open(_tls, host, _port, *_rest):
        dials.append(host)
        FakeTime.sleep_ms(LOOKUP_MS)
        for _ in range(STEPS):
            await asyncio.sleep_ms(0)
            FakeTime.sleep_ms(STEP_MS)
        raise OSError("the handshake failed")

    perch.ws.open_stream = perch.date.open_stream = slow_open
    bench = Bench(url="wss://192.0.2.1/robot/v1/link", ca="PEM",
                  time_server="127.0.0.1:9")
    bench.start()
    for _ in range(3):
        await asyncio.sleep(5)
        await bench.robot.link._dial()
    same(len(dials), 6, "dials, and requests for the date")


class Download:
    """A server that is slow, and then fast."""

    def __init__(self, data):
        self._data = b"HTTP/1.0 200 OK\r\n\r\n" + data
        self._at = 0
        self.s = self
        self._reads = 0

    def close(self):
        pass

    def write(self, _request):
        pass

    async def drain(self):
        await asyncio.sleep_ms(10)

    async def readline(self):
        end = self._data.find(b"\n", self._at) + 1
        line, self._at = self._data[self._at:end], end
        return line

    async def read(self, size):
        self._reads += 1
        await asyncio.sleep_ms(14000 if self._reads < 6 else 20)
        part = self._data[self._at:self._at + size]
        self._at += len(part)
        return part


class SlowFile:
    """Flash that erases before each write."""

    def __init__(self, path, mode):
        self._file = open(path, mode)

    def __enter__(self):
        return self

    def __exit__(self, *_error):
        self._file.close()

    def write(self, data):
        FakeTime.sleep_ms(ERASE_MS)
        return self._file.write(data)

    def read(self, size):
        return self._file.read(size)

    def readline(self, size):
        return self._file.readline(size)


async def update():
    files = [("perch/part%d.py" % i, PART_BYTES)
             for i in range(8)]
    text = json.dumps({"files": files}) + "\n"
    data = text.encode() + bytes(PART_BYTES * len(files))
    offer = {"version": "2", "url": "/program", "size": len(data),
             "sha256": binascii.hexlify(
                 hashlib.sha256(data).digest()).decode()}

    async def opened(*_where):
        return Download(data)

    perch.update.open_stream, perch.update.open = opened, SlowFile
    bench = Bench()
    robot = bench.robot
    robot.board.folder = sys.argv[3]
    robot.slots = Slots(sys.argv[3])
    restarts = []
    robot.board.restart = lambda: restarts.append(robot)
    bench.start()
    robot.updater.offered(offer)
    robot.updater.start("2")
    for _ in range(HOUR_S):
        await asyncio.sleep(1)
        if restarts:
            break
    same(len(restarts), 1, "restarts: %r" % bench.logs())


async def absent():
    """A board without one, or a firmware that refuses it."""
    world.broken = ("watchdog",)
    bench = Bench()
    bench.start()
    same("no watchdog" in bench.robot.missing[0], True, "what is noted")
    await asyncio.sleep(5)
    same(is_reset_within(HOUR_S * 1000), False, "a hang")


async def held():
    """What interrupts the program has ten minutes between two calls."""
    bench = Bench()
    bench.start()
    await asyncio.sleep(5)
    for _ in range(3):
        watchdog.hold()
        same(is_reset_within(watchdog.HELD_MS - 5000), False, "an installer")
    same(is_reset_within(watchdog.HELD_MS), True, "an abandoned robot")


CHECKS = (hang, handshakes, update, absent, held)
asyncio.run([one for one in CHECKS if one.__name__ == sys.argv[2]][0]())
if world.complaints:
    print("complaints: " + "; ".join(world.complaints))
    sys.exit(1)
print("done")
