# SPDX-License-Identifier: Apache-2.0
"""The robot program on the faked device, with a link that is a list."""

from fake_clock import FakeTime, clock
from fake_modules import Speaker, lcd, world
from fake_servos import LEVEL

import asyncio
import binascii
import struct
import sys

sys.path.append(sys.argv[1])

from perch.boards.stackchan import StackChanBoard  # noqa: E402
from perch.link import Link  # noqa: E402
from perch.robot import Robot  # noqa: E402

WAIT_MS = 30000
PART_BYTES = 4096
PNG = b"\x89PNG\r\n\x1a\n" + bytes(8) + b"\x00\x00\x01\x40\x00\x00\x00\xf0"


class Settings:
    def __init__(self, values):
        self._values = {"token": "t", "url": "ws://192.0.2.1/robot/v1/link"}
        self._values.update(values)
        self.saved = {}

    def save(self, **values):
        self.saved.update(values)
        self._values.update(values)

    def get(self, name, default=None):
        return self._values.get(name, default)


async def never(_link):
    await asyncio.Event().wait()


class Bench:
    def __init__(self, **settings):
        self.sent = []
        self.hellos = 0
        self._ids = 0
        self._streams = 0
        bench = self

        def send(_link, message):
            if not world.wifi:
                return False
            bench.sent.append(message)
            return True

        def drop(_link):
            bench.hellos += 1

        Link.send, Link.run, Link.drop = send, never, drop
        self.settings = Settings(settings)
        self.board = StackChanBoard()
        self.board.use(self.settings)
        self.robot = Robot(self.board, self.settings)
        self.robot.link._online_at = 0
        self.robot.link.dials = 1

    def start(self):
        asyncio.create_task(self.robot.run())

    def inputs(self, kind):
        return [one for one in self.sent
                if one["t"] == "in" and one["kind"] == kind]

    def logs(self):
        return [one["text"] for one in self.sent if one["t"] == "log"]

    async def until(self, holds, what, wait_ms=WAIT_MS):
        for _ in range(wait_ms // 10):
            if holds():
                return
            await asyncio.sleep_ms(10)
        raise AssertionError("not within %d s: %s" % (wait_ms // 1000, what))

    async def input(self, kind, count=1):
        await self.until(lambda: len(self.inputs(kind)) >= count, kind)
        return self.inputs(kind)[count - 1]

    def command(self, _name, **args):
        self._ids += 1
        self.robot.message("cmd", {"t": "cmd", "id": "c%d" % self._ids,
                                   "name": _name, "args": args})
        return "c%d" % self._ids

    async def ack(self, number):
        def found():
            return [one for one in self.sent
                    if one["t"] == "ack" and one["id"] == number]

        await self.until(found, "the ack of " + number)
        return found()[0]

    async def act(self, _name, **args):
        ack = await self.ack(self.command(_name, **args))
        if not ack["ok"]:
            raise AssertionError("%s: %s" % (_name, ack["error"]))
        return ack["result"]

    def announce(self, data, form="png"):
        self._streams += 1
        return {"stream": self._streams, "format": form, "bytes": len(data),
                "crc32": binascii.crc32(data) & 0xFFFFFFFF}

    def parts(self, kind, stream, data, offset=0, whole=None):
        """Sends what the robot has credit for, or all of a picture."""
        whole = len(data) if whole is None else whole
        for at in range(0, len(data), PART_BYTES):
            part = data[at:at + PART_BYTES]
            place = offset + at
            flags = (place == 0) | 2 * (place + len(part) == whole)
            head = struct.pack(">BBHI", kind, flags, stream, place)
            self.robot.binary(memoryview(head + part))

    async def show(self, data, form="png", layer="card", name="one",
                   show_ms=60000):
        announced = self.announce(data, form)
        number = self.command(
            "screen.show", layer=layer, id=name, show_ms=show_ms, **announced)
        self.parts(1, announced["stream"], data)
        return await self.ack(number)

    async def play(self, samples, rate=16000):
        """Sends a sound on credit, as the service does."""
        self._streams += 1
        stream = self._streams
        number = self.command(
            "audio.play", stream=stream, id="s%d" % stream, rate=rate,
            format="pcm_s16le", bytes=len(samples), volume=60)
        await asyncio.sleep_ms(20)
        sent = 0
        while sent < len(samples):
            credit = 98304
            for one in self.sent:
                if one["t"] == "flow" and one["stream"] == stream:
                    credit = one["received"] + one["free"]
            part = samples[sent:min(credit, sent + PART_BYTES)]
            if part:
                self.parts(2, stream, part, sent, len(samples))
                sent += len(part)
            await asyncio.sleep_ms(10)
        ack = await self.ack(number)

        def done():
            return [one for one in self.sent
                    if one["t"] == "play_done" and one["stream"] == stream]

        await self.until(done, "the end of the sound")
        return ack, done()[0]["reason"]


def same(found, expected, what=""):
    if found != expected:
        raise AssertionError("%s: %r, not %r" % (what, found, expected))


def picture(size=3000):
    return PNG + bytes(size)


def head():
    """Where the head really is: yaw + is the robot's left, and pitch."""
    return tuple(round(way / 3.2) for way in (
        LEVEL[1] - world.uart.servos[1].position,
        world.uart.servos[2].position - LEVEL[2]))


async def looks(bench, yaw, pitch, what="the head"):
    try:
        await bench.until(lambda: head() == (yaw, pitch), what)
    except AssertionError:
        raise AssertionError("%s: at %r, not %r" % (
            what, head(), (yaw, pitch)))


async def settled(bench):
    """Until the head has come to its rest, and can be stroked."""
    bench.start()
    await looks(bench, 0, 45, "the first movement")
    await asyncio.sleep_ms(3000)


def nothing_pushed():
    same([servo.stalled_ms for servo in world.uart.servos.values()], [0, 0],
         "ms against a stop")


def run_one(checks):
    """The second argument names the check."""
    asyncio.run([one for one in checks if one.__name__ == sys.argv[2]][0]())
    if world.complaints:
        print("complaints: " + "; ".join(world.complaints))
        sys.exit(1)
    print("done")


__all__ = ("FakeTime", "Speaker", "clock", "lcd", "world")
