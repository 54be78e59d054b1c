# SPDX-License-Identifier: Apache-2.0
"""Asks the person at the robot where its head is level, and its side."""

import asyncio
import time

from perch.args import Nack
from perch.own_screen import Choice
from perch.servos import PITCH, YAW

STEP_MS, LOOK_MS, END_MS = 60000, 250, 4000
# A touch answers what has been on the screen for this long, as approvals do:
# what is stored turns the servos, and two quick taps are one, as is a tap that
# was meant for what was there before.
COUNTS_MS = 1000
# Where the servos of StackChans are at 0 degrees, and some more: owners have
# measured 462 to 469 and 579 to 620.
USUAL = {YAW: (400, 530), PITCH: (540, 660)}
LEVEL = ("Hold my head level:", "face ahead, chin down")
UNUSUAL = ("Unusual. Is it level?", "Face ahead, chin down")
SIDE = ("Stand before me: I look", "to your left or right?")
DONE = ("Thank you", "I know my head now")


class Ended(Exception):
    pass


class Calibration:
    """`servos` are loose meanwhile, and the robot has no head."""

    def __init__(self, robot, servos):
        self._robot = robot
        self._servos = servos
        self._page = None
        self._answer = None
        self._answered = asyncio.Event()
        self._pressed = False
        self._counts = False
        self._shown = self._shown_at = None

    @property
    def runs(self):
        return self._page is not None

    def begin(self):
        """@raise Nack"""
        robot = self._robot
        if robot.face is None:
            raise Nack("hardware", "this robot has no screen")
        if self._page is not None or robot.asks() or robot.updating:
            raise Nack("busy", "a question waits, or it runs")
        if robot.battery.low:
            raise Nack("busy", "the battery is low")
        why = robot.head_off or ""
        self._page = Choice(LEVEL, "Cancel", "It is level")
        self._shown = self._shown_at = None
        asyncio.create_task(self._run())
        return {"why": why}

    def touched(self, kind, fields):
        """Returns whether a touch is for this, and no input."""
        if kind == "touch_up" and self._pressed:
            self._pressed = False
            if self._page is not None and self._counts:
                self._answer = self._page.hit(fields["x"], fields["y"])
                if self._answer is not None:
                    self._answered.set()
            return True
        if kind != "touch_down":
            return False
        if self._page is None:
            if not self._robot.hint_at(fields["y"]):
                return False
            try:
                self.begin()
            except Nack:
                return False
        self._pressed = not self._robot.asks()
        self._counts = self._shown_at is not None and time.ticks_diff(
            time.ticks_ms(), self._shown_at) >= COUNTS_MS
        return self._pressed

    async def _run(self):
        robot, servos = self._robot, self._servos
        # The command that has begun it is answered first.
        await asyncio.sleep_ms(LOOK_MS)
        robot.lose("head", "is calibrated now")
        end = DONE
        try:
            self._show(LEVEL, "Cancel", "It is level")
            await servos.loosen()
            zeros, limits = await self._level()
            robot.board.set_up_head(zeros, -1, limits)
            await servos.show_side()
            sign = -1
            if await self._asked(SIDE, "< your left", "your right >"):
                sign = 1
            robot.settings.save(
                yaw_zero=zeros[YAW], pitch_zero=zeros[PITCH], yaw_sign=sign,
                yaw_limits=limits[YAW], pitch_limits=limits[PITCH])
        except Exception as error:
            # Whatever it was: the page is not left on the screen.
            end = ("Not calibrated", str(error) or repr(error))
        try:
            servos.stop()
        except OSError:
            pass
        robot.head_off = robot.board.set_up_head()
        servos.start()
        self._show(end, "", "OK")
        await self._wait(END_MS)
        self._page = None
        robot.face.ask()

    async def _level(self):
        text = LEVEL
        while True:
            if not await self._asked(text, "Cancel", "It is level"):
                raise Ended("Nothing was changed")
            zeros, limits = await self._servos.places()
            usual = True
            for servo, (low, high) in USUAL.items():
                usual = usual and low <= zeros[servo] <= high
            # A second time it is taken as the person says.
            if usual or text is UNUSUAL:
                return zeros, limits
            text = UNUSUAL

    async def _asked(self, lines, left, right):
        """Returns whether the right one was tapped. @raise Ended"""
        self._show(lines, left, right)
        for _ in range(STEP_MS // LOOK_MS):
            if await self._wait(LOOK_MS):
                return self._answer
            if self._robot.asks():
                raise Ended("A question came first")
        raise Ended("Nobody tapped")

    async def _wait(self, ms):
        try:
            await asyncio.wait_for_ms(self._answered.wait(), ms)
        except asyncio.TimeoutError:
            return False
        return True

    def _show(self, *what):
        self._answered.clear()
        if what == self._shown:
            return
        self._page, self._shown = Choice(*what), what
        # What was pressed before belongs to what was shown before.
        self._counts = False
        self._robot.face.ask(self._page)
        self._shown_at = time.ticks_ms()
