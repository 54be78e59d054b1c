# SPDX-License-Identifier: Apache-2.0
"""Two serial servos that carry the head: no lurch, no torque at rest."""

import asyncio

from perch.head import HOME, PITCH_MAX, PITCH_MIN, YAW_MAX, clamp
from perch.scs import Bus

YAW, PITCH = 1, 2
# Positions per degree, and where both are 0 unless the board knows better.
PER_DEGREE = 3.2
ZEROS = {YAW: 450, PITCH: 125}
POSITION_MAX = 1000
RAIL_OFF_MS, RAIL_ON_MS = 300, 1000
FIRST_MS = 1500
MOVE_MS_MIN, MOVE_MS_MAX = 20, 10000
# Positions in a second: at most, and from where it was without torque.
FASTEST, GENTLE = 600, 384
# Without torque the head stays where it is, cool and quiet.
REST_MS = 20000
TRIES = 3
# Farther from its goal than this after a movement, a servo is stuck.
STUCK = 40
SETTLE_MS = 400


class GivenUp(Exception):
    pass


class Servos:
    """`power(on)` switches their supply, `gave_up(why)` ends the head.

    `sign` is -1 where a positive position turns to the robot's right.
    """

    def __init__(self, uart, power, zeros, sign, log, gave_up):
        self._bus = Bus(uart)
        self._power = power
        self._zeros = {YAW: zeros.get(YAW, ZEROS[YAW]),
                       PITCH: zeros.get(PITCH, ZEROS[PITCH])}
        self._sign = -1 if sign == -1 else 1
        self._log = log
        self._gave_up = gave_up
        self._target = HOME + (FIRST_MS,)
        self._moved = asyncio.Event()
        self._torque = False
        self._stuck = 0
        # Where each servo is, or goes.
        self._at = {}
        self.readings = {}

    def go(self, yaw, pitch, ms):
        """Notes the target: the next movement goes to the latest."""
        self._target = (yaw, pitch, ms)
        self._moved.set()

    async def run(self):
        try:
            await self._start()
            while True:
                try:
                    await asyncio.wait_for_ms(self._moved.wait(), REST_MS)
                except asyncio.TimeoutError:
                    await self._rest()
                    await self._moved.wait()
                self._moved.clear()
                await self._turn()
        except (GivenUp, OSError) as error:
            await self._end(error)

    async def _start(self):
        """Off and on: the servos forget the goals of an earlier start."""
        self._power(False)
        await asyncio.sleep_ms(RAIL_OFF_MS)
        self._power(True)
        await asyncio.sleep_ms(RAIL_ON_MS)
        self._moved.set()

    async def _end(self, error):
        self._torque = False
        self.readings = {}
        try:
            self._power(False)
        except OSError:
            pass
        self._gave_up(str(error))

    async def _turn(self):
        per_s = FASTEST
        if not self._torque:
            await self._hold()
            per_s = GENTLE
        yaw, pitch, ms = self._target
        goals = {YAW: self._place(YAW, self._sign * clamp(
            yaw, -YAW_MAX, YAW_MAX))}
        goals[PITCH] = self._place(PITCH, clamp(pitch, PITCH_MIN, PITCH_MAX))
        for servo in (YAW, PITCH):
            way = abs(goals[servo] - self._at[servo])
            ms = max(ms, way * 1000 // per_s)
        ms = clamp(int(ms), MOVE_MS_MIN, MOVE_MS_MAX)
        for servo in (YAW, PITCH):
            await self._surely(servo, "goal", lambda: self._bus.go(
                servo, goals[servo], ms))
            self._at[servo] = goals[servo]
        await self._arrive(goals, ms)

    async def _arrive(self, goals, ms):
        """Waits for the end of the movement, unless another begins."""
        try:
            await asyncio.wait_for_ms(self._moved.wait(), ms + SETTLE_MS)
            return
        except asyncio.TimeoutError:
            pass
        for servo in (YAW, PITCH):
            status = await self._surely(
                servo, "status", lambda: self._bus.status(servo))
            self._note(servo, status)
            if abs(status[0] - goals[servo]) <= STUCK:
                continue
            self._stuck += 1
            self._log("servo %d: stuck %d degrees from its goal" % (
                servo, abs(status[0] - goals[servo]) / PER_DEGREE))
            if self._stuck >= TRIES:
                raise GivenUp("servo %d is stuck" % servo)
            # It does not push against what holds it.
            await self._rest()
            return
        self._stuck = 0

    async def _hold(self):
        """Torque holds the head where it is, before it goes anywhere."""
        for servo in (YAW, PITCH):
            await self._hold_one(servo)
        self._torque = True

    async def _hold_one(self, servo):
        for torque in (True, False):
            status = await self._surely(
                servo, "status", lambda: self._bus.status(servo))
            self._at[servo] = min(status[0], POSITION_MAX)
            await self._surely(servo, "goal", lambda: self._bus.go(
                servo, self._at[servo], MOVE_MS_MIN))
            if torque:
                await self._surely(servo, "torque", lambda: (
                    self._bus.set_torque(servo, True)))

    async def _rest(self):
        self._torque = False
        for servo in (YAW, PITCH):
            await self._surely(servo, "torque", lambda: (
                self._bus.set_torque(servo, False)))
            if servo in self.readings:
                self.readings[servo] = (0, self.readings[servo][1])

    async def _surely(self, servo, what, ask):
        """Three attempts. @raise GivenUp"""
        for attempt in range(TRIES):
            answer = await ask()
            if answer:
                return answer
            self._log("servo %d: no answer (%s), try %d" % (
                servo, what, attempt + 1))
        raise GivenUp("servo %d does not answer" % servo)

    def _place(self, servo, degrees):
        position = int(self._zeros[servo] + degrees * PER_DEGREE + 0.5)
        return clamp(position, 0, POSITION_MAX)

    def _note(self, servo, status):
        self.readings[servo] = (status[1], status[2])
