# SPDX-License-Identifier: Apache-2.0
"""The head: limits, movements at a bearable speed, and gestures."""

import asyncio
import time

from perch.timers import Timer, cancel

GESTURES = ("nod", "shake", "home")
YAW_MAX = 128
PITCH_MIN, PITCH_MAX = 5, 85
# Face forward; and where the head rests, at power-up and without torque.
HOME = (0, 10)
REST = (0, 45)
DEGREES_PER_S = 120
STEP_MS = 220
REST_MS = 2000


def clamp(value, low, high):
    return min(high, max(low, value))


class Head:
    """`servos.go(yaw, pitch, ms)` turns; yaw + is the robot's left."""

    def __init__(self, servos, tell):
        self._servos = servos
        self._tell = tell
        self._timer = None
        self.yaw, self.pitch = REST
        self.moving = False
        self._moved_at = None
        servos.told = self._turns_itself

    def turned_within(self, ms):
        """Whether it moves, or did in the last `ms`."""
        if self.moving or self._moved_at is None:
            return self.moving
        return time.ticks_diff(time.ticks_ms(), self._moved_at) < ms

    def move(self, yaw, pitch, duration_ms=None):
        """Returns the clamped target."""
        yaw = self.yaw if yaw is None else clamp(yaw, -YAW_MAX, YAW_MAX)
        if pitch is None:
            pitch = self.pitch
        pitch = clamp(pitch, PITCH_MIN, PITCH_MAX)
        self._begin([(yaw, pitch, duration_ms)], None)
        return {"yaw": yaw, "pitch": pitch}

    def gesture(self, name):
        yaw, pitch = self.yaw, self.pitch
        if name == "home":
            places = [HOME]
        elif name == "nod":
            low = clamp(pitch - 12, PITCH_MIN, PITCH_MAX)
            high = clamp(pitch + 12, PITCH_MIN, PITCH_MAX)
            places = [(yaw, high), (yaw, low), (yaw, high), (yaw, pitch)]
        else:
            left = clamp(yaw + 18, -YAW_MAX, YAW_MAX)
            right = clamp(yaw - 18, -YAW_MAX, YAW_MAX)
            places = [(left, pitch), (right, pitch), (left, pitch)]
            places.append((yaw, pitch))
        ms = None if name == "home" else STEP_MS
        self._begin([(yaw, pitch, ms) for yaw, pitch in places], name)

    def _begin(self, path, gesture):
        cancel(self._timer)
        # What the head is told to keep in the end: a gesture returns to it.
        target = path[-1]
        self._step(path, gesture)
        self.yaw, self.pitch, self.moving = target[0], target[1], True
        self._told(gesture)

    def _step(self, path, gesture, place=None):
        yaw, pitch, ms = path[0]
        from_yaw, from_pitch = place or (self.yaw, self.pitch)
        if ms is None:
            way = max(abs(yaw - from_yaw), abs(pitch - from_pitch))
            ms = int(way * 1000 / DEGREES_PER_S)
        self._servos.go(yaw, pitch, ms)
        rest = path[1:]
        if rest:
            self._timer = Timer(
                ms, lambda: self._step(rest, gesture, (yaw, pitch)))
        else:
            self._timer = Timer(ms, lambda: self._arrive(gesture))

    async def rest(self):
        """Before the chip restarts, at which the servos lose their power."""
        if self.pitch != REST[1]:
            self.move(None, REST[1], REST_MS)
            await asyncio.sleep_ms(REST_MS + STEP_MS)

    def stop(self):
        """The servos are off."""
        cancel(self._timer)
        if self.moving:
            self._arrive(None)

    def _turns_itself(self, yaw, pitch, moving):
        """To its rest, or at power-up: no program has asked for it."""
        self.yaw, self.pitch = yaw, pitch
        if moving:
            self.moving = True
            self._told(None)
        else:
            self._arrive(None)

    def _arrive(self, gesture):
        self.moving = False
        self._moved_at = time.ticks_ms()
        self._told(gesture)

    def _told(self, gesture):
        self._tell("head", yaw=self.yaw, pitch=self.pitch,
                   moving=self.moving, gesture=gesture)
