# SPDX-License-Identifier: Apache-2.0
"""Two serial servos that carry the head: eased, and no torque at rest.

Positions and limits are the vendor's, waits and the pose at rest those of
owners; docs/stackchan.md names the sources.
"""

import asyncio
import time

from perch.head import PITCH_MAX, PITCH_MIN, REST, YAW_MAX, clamp
from perch.poses import eased
from perch.scs import Bus
from perch.timers import Timer, cancel

YAW, PITCH = 1, 2
# Pitch first: it is the one that falls.
BOTH = (PITCH, YAW)
# Positions per degree.
PER_DEGREE = 3.2
POSITION_MAX = 1000
# At power-on a servo turns to the goal that it has kept: as soon as it can
# reply, its position becomes its goal.
RAIL_OFF_MS, WAKE_MS = 1000, 150
READ_TRIES, READ_EVERY_MS = 5, 50
MODE_MS = 200
# A servo gets a goal every 20 ms, the other one 10 ms later.
TICK_MS, GOAL_MS, LATE_MS = 10, 20, 100
LOOK_TICKS = 20
# Positions a second, at most: as programs ask, after a time without torque,
# and when nobody asks.
FASTEST, GENTLE, CALM = 600, 384, 72
BRAKE_MS = 150
# Two ways back that are longer than this are gentle.
REVERSAL = 32
# Without torque the head stays where it is, cool and quiet.
REST_MS = 20000
TRIES = 3
# Farther from its goal than this, a servo is stuck: at the end, on the way.
STUCK, LAG = 40, 80
SETTLE_MS = 400
# Power is switched off and on after these times, and then every hour: at
# most three times an hour. Not after a goal so near to a stop: the head
# would be pulled into it.
AGAIN_S, HOUR_S = (5, 60, 600), 3600
NEAR_STOP = 32
# Stops in degrees: yaw -/+, pitch from and to.
YAW_STOP, PITCH_STOPS = 128, (0, 90)
# Positions of yaw at which a person is asked for the side.
SIDE = 80


class GivenUp(Exception):
    """`silent`: there was no reply, and switching the power may help."""

    def __init__(self, why, silent=False):
        super().__init__(why)
        self.silent = silent


def limits_of(zeros, servo_limits):
    """Returns where the head may go, {servo: (lowest, highest)}."""
    found = {}
    for servo, low, high in ((YAW, -YAW_MAX, YAW_MAX),
                             (PITCH, PITCH_MIN, PITCH_MAX)):
        least, most = servo_limits[servo]
        found[servo] = (
            max(least, int(zeros[servo] + low * PER_DEGREE + 0.5)),
            min(most, int(zeros[servo] + high * PER_DEGREE + 0.5)))
    return found


class Servos:
    """`power(on)` switches their supply; `set_up` before they may turn.

    `lost(why)` when the head has to be left out, `found()` when it is back.
    """

    def __init__(self, uart, power, log, lost, found):
        self._bus = Bus(uart)
        self._power = power
        self._log = log
        self._lost = lost
        self._found = found
        self._target = REST + (0,)
        self._moved = asyncio.Event()
        self._task = None
        self._torque = False
        self._stuck = 0
        # Where each servo is, or goes: (from, speed there, goal) and time.
        self._at = {}
        self._way = {YAW: 0, PITCH: 0}
        self._path = {}
        self._placed = {}
        self._began = self._ms = 0
        self._per_s = CALM
        self._switched = 0
        self._calm = None
        self._up_at = None
        self.zeros = None
        self.readings = {}
        # told(yaw, pitch, moving): they turn and nobody has asked for it.
        self.told = lambda yaw, pitch, moving: None

    def set_up(self, zeros, sign, limits):
        """`sign` is 1 where a rising position turns to the robot's left.

        `limits` are the servos' own: lowest and highest position.
        """
        self.zeros = zeros
        self._sign = 1 if sign == 1 else -1
        self._limits = limits_of(zeros, limits)

    def go(self, yaw, pitch, ms):
        """Notes the target: the next movement goes to the latest."""
        self._target = (yaw, pitch, ms)
        self._moved.set()

    def awake(self, ms):
        """Whether their supply has been on for so long, or is off."""
        return self._up_at is None or time.ticks_diff(
            time.ticks_ms(), self._up_at) > ms

    def start(self):
        """Without zeros there is no torque."""
        if self.zeros is not None and self._task is None:
            self._task = asyncio.create_task(self._run())

    def stop(self):
        cancel(self._task)
        cancel(self._calm)
        self._task = None
        self._switch(False)

    async def _run(self):
        while True:
            try:
                await self._start()
                self._calm = Timer(HOUR_S * 1000, self._forget)
                self._found()
                await self._serve()
            except (GivenUp, OSError) as error:
                cancel(self._calm)
                again_s = self._again_s(error)
                await self._end(error, again_s)
            if again_s is None:
                return
            await asyncio.sleep(again_s)
            self._switched += 1
            self._moved.clear()

    def _forget(self):
        self._switched = 0

    def _again_s(self, error):
        """Returns when to switch the power off and on, None: never."""
        if isinstance(error, GivenUp) and not error.silent:
            return None
        for servo, low, high in ((YAW, -YAW_STOP, YAW_STOP),
                                 (PITCH,) + PITCH_STOPS):
            at = self._at.get(servo)
            if at is not None and not (
                    low * PER_DEGREE + NEAR_STOP <= at - self.zeros[servo]
                    <= high * PER_DEGREE - NEAR_STOP):
                return None
        if self._switched < len(AGAIN_S):
            return AGAIN_S[self._switched]
        # Those that have never replied are left alone.
        return HOUR_S if self._at else None

    async def _end(self, error, again_s):
        self._torque = False
        self.readings = {}
        try:
            self._switch(False)
        except OSError:
            pass
        then = "off until a restart" if again_s is None else (
            "tried again in %d s" % again_s)
        self._lost("%s: %s" % (error, then))

    def _switch(self, on):
        self._up_at = None
        self._power(on)
        if on:
            self._up_at = time.ticks_ms()

    async def _start(self):
        await self._wake()
        await self._hold()
        # From where the last program, or a hand, has left it.
        await self._pose(*REST)

    async def _pose(self, yaw, pitch):
        """Nobody has asked for it. Returns whether nobody did meanwhile."""
        self.told(yaw, pitch, True)
        if not await self._glide(CALM, self._goals(yaw, pitch), 0):
            return False
        self.told(yaw, pitch, False)
        return True

    async def _wake(self):
        self._torque = False
        self._switch(False)
        await asyncio.sleep_ms(RAIL_OFF_MS)
        self._switch(True)
        await asyncio.sleep_ms(WAKE_MS)
        for servo in BOTH:
            await self._keep(servo, READ_TRIES, READ_EVERY_MS)

    async def _keep(self, servo, tries=TRIES, every_ms=0):
        """Where it is becomes its goal. One that turns as a motor stops."""
        limits = await self._surely(
            servo, "mode", lambda: self._bus.limits(servo), tries, every_ms)
        if limits == (0, 0):
            self._log("servo %d: turned as a motor" % servo)
            await self._surely(servo, "mode", lambda: self._bus.set_limits(
                servo, 0, POSITION_MAX))
            await asyncio.sleep_ms(MODE_MS)
            limits = (0, POSITION_MAX)
        status = await self._surely(
            servo, "status", lambda: self._bus.status(servo))
        at = self._at[servo] = min(status[0], POSITION_MAX)
        await self._surely(servo, "goal", lambda: self._bus.go(
            servo, at, GOAL_MS))
        return limits

    async def _hold(self):
        """Torque holds the head where it is, before it goes anywhere."""
        for servo in BOTH:
            await self._keep(servo)
            await self._surely(servo, "torque", lambda: (
                self._bus.set_torque(servo, True)))
            await self._keep(servo)
        self._path = {}
        self._torque = True

    async def _serve(self):
        while True:
            try:
                await asyncio.wait_for_ms(self._moved.wait(), REST_MS)
            except asyncio.TimeoutError:
                if self._torque:
                    await self._rest()
                await self._moved.wait()
            self._moved.clear()
            per_s = FASTEST
            if not self._torque:
                await self._hold()
                per_s = GENTLE
            yaw, pitch, ms = self._target
            await self._glide(per_s, self._goals(yaw, pitch), ms)

    async def _rest(self):
        """The pose in which no torque is needed comes first."""
        if await self._pose(self._target[0], REST[1]) and self._torque:
            await self._let_go()

    async def _let_go(self):
        self._torque = False
        for servo in BOTH:
            await self._surely(servo, "torque", lambda: (
                self._bus.set_torque(servo, False)))
            if servo in self.readings:
                self.readings[servo] = (0, self.readings[servo][1])

    async def _glide(self, per_s, goals, ms):
        """Eases both servos to their goals, or to later ones on the way.

        Returns whether there was no later one.
        """
        self._aim(per_s, goals, ms)
        as_asked = True
        ticks = arrived = 0
        while arrived < len(BOTH):
            begun = time.ticks_ms()
            servo = BOTH[ticks & 1]
            since = time.ticks_diff(begun, self._began)
            place = self._at_ms(servo, since)
            await self._place(servo, place)
            there = since >= self._ms and place == self._at[servo]
            arrived = arrived + 1 if there else 0
            if ticks % LOOK_TICKS in (10, 19) and await self._is_stuck(
                    servo, LAG):
                return as_asked
            if self._moved.is_set():
                self._moved.clear()
                yaw, pitch, ms = self._target
                per_s = max(per_s, GENTLE)
                self._aim(per_s, self._goals(yaw, pitch), ms)
                as_asked, arrived = False, 0
            ticks += 1
            left = TICK_MS - time.ticks_diff(time.ticks_ms(), begun)
            await asyncio.sleep_ms(max(0, left))
        self._path = {}
        await self._settle()
        return as_asked

    def _aim(self, per_s, goals, ms):
        since = time.ticks_diff(time.ticks_ms(), self._began)
        path, back = {}, 0
        for servo in BOTH:
            at, speed = self._at[servo], 0
            if servo in self._path:
                before = max(0, since - 2 * GOAL_MS)
                speed = (self._at_ms(servo, since) - self._at_ms(
                    servo, before)) * 1000 // max(1, since - before)
            path[servo] = (at, speed, goals[servo])
            way, last = goals[servo] - at, self._way[servo]
            back += way * last < 0 and min(abs(way), abs(last)) > REVERSAL
            self._way[servo] = way
        if back == len(BOTH):
            per_s = min(per_s, GENTLE)
        for servo in BOTH:
            # The fastest part of an eased way has 1.5 times its speed.
            ms = max(ms, abs(self._way[servo]) * 1500 // per_s)
        self._path, self._ms = path, int(ms)
        self._began = time.ticks_ms()

    def _at_ms(self, servo, since):
        """Returns the position on its way: its former speed ebbs away."""
        start, speed, goal = self._path[servo]
        if since >= self._ms:
            return goal
        ebb = min(since, BRAKE_MS)
        at = start + speed * ebb * (2 * BRAKE_MS - ebb) // (2000 * BRAKE_MS)
        at += (goal - at) * eased(since, self._ms) >> 8
        low, high = self._limits[servo]
        return clamp(at, min(low, start), max(high, start))

    async def _place(self, servo, place):
        """A step that comes late is not made up for at a higher speed."""
        now = time.ticks_ms()
        ms = clamp(time.ticks_diff(now, self._placed.get(servo, now)),
                   GOAL_MS, LATE_MS)
        self._placed[servo] = now
        most = FASTEST * ms // 1000
        place = clamp(place, self._at[servo] - most, self._at[servo] + most)
        if place != self._at[servo]:
            self._at[servo] = place
            await self._surely(servo, "goal", lambda: self._bus.go(
                servo, place, ms))

    async def _settle(self):
        """Looks where they are, unless another movement begins."""
        try:
            await asyncio.wait_for_ms(self._moved.wait(), SETTLE_MS)
            return
        except asyncio.TimeoutError:
            pass
        for servo in BOTH:
            if await self._is_stuck(servo, STUCK):
                return
        self._stuck = 0

    async def _is_stuck(self, servo, most):
        """It does not push against what holds it."""
        status = await self._surely(
            servo, "status", lambda: self._bus.status(servo))
        self.readings[servo] = (status[1], status[2])
        away = abs(status[0] - self._at[servo])
        if away <= most:
            return False
        self._path = {}
        self._stuck += 1
        self._log("servo %d: stuck %d degrees from its goal" % (
            servo, away / PER_DEGREE))
        await self._let_go()
        if self._stuck >= TRIES:
            raise GivenUp("servo %d is stuck" % servo)
        return True

    async def _surely(self, servo, what, ask, tries=TRIES, every_ms=0):
        """Several attempts. @raise GivenUp"""
        for attempt in range(tries):
            begun = time.ticks_ms()
            answer = await ask()
            if answer:
                return answer
            # While they wake up, that is as expected.
            if attempt == tries - 1 or not every_ms:
                self._log("servo %d: no answer (%s), try %d" % (
                    servo, what, attempt + 1))
            left = every_ms - time.ticks_diff(time.ticks_ms(), begun)
            await asyncio.sleep_ms(max(0, left))
        raise GivenUp("servo %d does not answer" % servo, True)

    def _goals(self, yaw, pitch):
        """Returns where both shall be, within their limits."""
        goals = {}
        for servo, degrees in ((YAW, self._sign * yaw), (PITCH, pitch)):
            goals[servo] = clamp(
                int(self.zeros[servo] + degrees * PER_DEGREE + 0.5),
                *self._limits[servo])
        return goals

    # For the calibration, in place of `start`.

    async def loosen(self):
        """Without torque: a hand may turn the head."""
        self.stop()
        await self._wake()
        await self._let_go()

    async def places(self):
        """Returns where both are, and what they allow, by servo."""
        places, limits = {}, {}
        for servo in BOTH:
            limits[servo] = await self._keep(servo)
            places[servo] = self._at[servo]
        return places, limits

    async def show_side(self):
        """Looks up, and to the side of rising positions."""
        await self._hold()
        up = self._goals(0, REST[1])
        for aside in (0, SIDE):
            up[YAW] = self.zeros[YAW] + aside
            await self._glide(CALM, up, 0)
