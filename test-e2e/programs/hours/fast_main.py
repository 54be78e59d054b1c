# SPDX-License-Identifier: Apache-2.0
"""The robot program on the host board, with a clock that runs faster.

It has the StackChan's head, on a bus that hangs, and the clock of a chip,
which goes wrong, both by the fault `chip`. Its folder's settings.json has
`speed`. The interpreter's task queue notes real ticks for what is to run at
once: this clock is ahead of them, so that such tasks come first.
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


class FakeClock:
    """What the faked servos take of the stackchan checks' clock."""

    FakeTime = FastTime

    class clock:
        @staticmethod
        def work(_us):
            """Writing to the bus blocks nothing here."""


sys.modules["fake_clock"] = FakeClock
top = __file__.rsplit("/test-e2e/", 1)[0]
program = top + "/robots/micropython"
sys.path.insert(0, program)
sys.path.append(top + "/test-e2e/programs/stackchan")

import fake_servos  # noqa: E402
from perch.boards import host, host_faults  # noqa: E402
from perch.servos import Servos  # noqa: E402


class ChipBoard(host.HostBoard):
    def __init__(self, folder):
        super().__init__(folder)
        self._ahead_s = 0
        self.uart = fake_servos.Uart(
            lambda what: self.tell("complaint", what=what))

    def unix_s(self):
        return int(real.time()) + self._ahead_s

    def set_unix_s(self, unix_s):
        self._ahead_s = unix_s - int(real.time())
        self.tell("clock", s=unix_s)

    def servos(self):
        self._servos = Servos(
            self.uart, self.uart.power,
            lambda text: self.tell("said", text=text),
            lambda why: self._robot.lose("head", why),
            lambda: self._robot.regain("head"))
        return self._servos

    def set_up_head(self):
        self._servos.set_up(
            fake_servos.LEVEL, -1, {1: (0, 1000), 2: (0, 1000)})

    async def run(self, robot):
        self._robot = robot
        self._servos.start()
        await super().run(robot)

    def tell_body(self):
        servos = self.uart.servos.values()
        self.tell("body", cyclesMs=self.uart.cycles_ms,
                  fastest=self.uart.fastest,
                  pushedMs=sum([servo.stalled_ms for servo in servos]),
                  features=self._robot.features)


class ChipFaults(host_faults.Faults):
    def set(self, settings):
        super().set(settings)
        board, chip = self._robot.board, settings.get("chip", {})
        if "hang" in chip:
            board.uart.hung = chip["hang"]
        if "clock_s" in chip:
            board.set_unix_s(chip["clock_s"])
        board.tell_body()


host.HostBoard = ChipBoard
host_faults.Faults = ChipFaults
with open(program + "/main.py") as file:
    exec(file.read())
