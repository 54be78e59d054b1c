# SPDX-License-Identifier: Apache-2.0
"""The servo bus of a StackChan, which complains about what breaks one."""

from fake_clock import FakeTime, clock

LIMITS = {1: (450 - 128 * 3.2, 450 + 128 * 3.2),
          2: (125 + 5 * 3.2, 125 + 85 * 3.2)}
# A head turns no faster than this: positions in a second.
PER_S_MAX = 650
RAIL_ON_MS = 800
LURCH = 16


class Servo:
    def __init__(self, position):
        self.position = self.goal = self._from = position
        self.torque = False
        self.stuck = False
        self._began = self._ms = 0

    def move(self):
        if not self.torque or self.stuck:
            return
        since = FakeTime.ticks_diff(FakeTime.ticks_ms(), self._began)
        share = min(1, since / self._ms) if self._ms else 1
        self.position = int(
            self._from + (self.goal - self._from) * share + 0.5)

    def set_goal(self, goal, ms):
        self.move()
        self._from, self.goal = self.position, goal
        self._began, self._ms = FakeTime.ticks_ms(), ms


class Uart:
    def __init__(self, complain):
        self._complain = complain
        self._reply = b""
        self._powered_at = None
        self.servos = {1: Servo(520), 2: Servo(260)}
        self.silent = False
        self.writes = 0

    def power(self, on):
        self._powered_at = FakeTime.ticks_ms() if on else None
        for servo in self.servos.values():
            servo.torque = False

    def any(self):
        return len(self._reply)

    def read(self, count):
        reply, self._reply = self._reply[:count], self._reply[count:]
        return reply

    def write(self, data):
        clock.work(10 * len(data))
        self.writes += 1
        if self._powered_at is None:
            self._complain("a request without power on the rail")
            return
        since = FakeTime.ticks_diff(FakeTime.ticks_ms(), self._powered_at)
        if since < RAIL_ON_MS:
            self._complain("a request %d ms after power-on" % since)
        if data[:2] != b"\xff\xff" or ~sum(data[2:-1]) & 255 != data[-1]:
            self._complain("a packet with a wrong head or sum")
            return
        if self.silent:
            return
        number, size, instruction = data[2], data[3], data[4]
        if size != len(data) - 4:
            self._complain("a packet of another length")
        servo = self.servos.get(number)
        if servo is None:
            self._complain("servo %d" % number)
            return
        servo.move()
        if instruction == 2:
            self._answer(number, self._memory(servo, data[5], data[6]))
        else:
            self._take(number, servo, data[5], data[6:-1])
            self._answer(number, b"")

    def _memory(self, servo, address, count):
        if (address, count) != (56, 8):
            self._complain("a read at %d" % address)
        pushes = servo.torque and abs(servo.goal - servo.position) > 20
        load = 900 if pushes else 40
        at = servo.position
        return bytes([at >> 8, at & 255, 0, 0, load >> 8, load & 255, 60, 31])

    def _take(self, number, servo, address, body):
        if address == 40:
            if body[0] and abs(servo.goal - servo.position) > LURCH:
                self._complain("torque lets the head lurch by %d" % abs(
                    servo.goal - servo.position))
            servo.torque = bool(body[0])
            return
        if address != 42:
            self._complain("a write at %d" % address)
            return
        goal, ms = body[0] << 8 | body[1], body[2] << 8 | body[3]
        low, high = LIMITS[number]
        near = abs(goal - servo.position) <= LURCH
        if not near and not low - 1 <= goal <= high + 1:
            self._complain("servo %d beyond its limits: %d" % (number, goal))
        if servo.torque and not near:
            speed = abs(goal - servo.position) * 1000 / max(1, ms)
            if speed > PER_S_MAX:
                self._complain("servo %d turns at %d a second" % (
                    number, speed))
        servo.set_goal(goal, ms)

    def _answer(self, number, body):
        rest = bytes([number, len(body) + 2, 0]) + body
        self._reply += b"\xff\xff" + rest + bytes([~sum(rest) & 255])
