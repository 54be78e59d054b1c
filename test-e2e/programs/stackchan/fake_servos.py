# SPDX-License-Identifier: Apache-2.0
"""The head of a StackChan: servos with positions, stops and a bus that hangs.

Nothing here is computed from the robot program; `constants` in checks.py
holds the program against it. Its sources, which name no time or place:

- m5stack/StackChan, firmware/main/hal/hal_servo.cpp at dd34f9e (firmware
  1.2.4): ids, zeros 460 and 620, angle limits, positions 0 to 1000, 16/5
  positions a degree, the namespace `servo`. At 605b575 (0.18) the zeros were
  450 and 125, and both versions store them in NVS where nothing is stored.
- m5stack/StackChan, firmware/main/hal/drivers/SCServo_lib/src/SCSCL.h at
  51a0617, and m5stack/uiflow-micropython, m5stack/libs/driver/scs_servo.py at
  4b5a0ab: registers, order of bytes, both limits of the angle 0 for a servo
  that turns as a motor, then the time of a goal as its drive.
- m5stack/StackChan-BSP, src/M5StackChan.cpp at a8cbcdb: the same zeros, a
  read that fails moves no head.
- m5stack/uiflow-micropython, m5stack/libs/hardware/stackchan.py at 4b5a0ab:
  its own zeros 450 and 125, which `set_servo_zero(reset=True)` stores.
- kisaragi-mochi/stackchan-mcp: no reply for some 200 ms after power-on
  (138), then the goal that was kept pulls at once (121, 137); stops 1 degree
  below level (80) and at 89 degrees (99); 15 degrees a second and pitch 45 at
  power-up (117, 142); a bus that hangs after jumps (1) and reversals of pitch
  (100), for reads alone (165) and for everything (347), through resets of the
  chip and without torque, until the power was off. Whether a second without
  power on the rail is enough is proposed there (347), not shown.
"""

from fake_clock import FakeTime, clock

# What the sources say, by the names that they give it.
SCSCL_MIN_ANGLE_LIMIT_L = 9
SCSCL_TORQUE_ENABLE = 40
SCSCL_GOAL_POSITION_L = 42
SCSCL_PRESENT_POSITION_L = 56
YAW_ID, PITCH_ID = 1, 2
VENDOR_ZEROS = {1: 460, 2: 620}
FORMER_ZEROS = {1: 450, 2: 125}
# Of seven units: the lowest and highest that owners have named.
MEASURED_ZEROS = {1: (462, 469), 2: (579, 620)}
ANGLES = {1: (-128, 128), 2: (0, 90)}
POSITIONS = (0, 1000)
STEPS, DEGREES = 16, 5
PITCH_STOPS = (-1, 89)
REST_PITCH = 45
WAKE_MS = 200
# Which side the head of the units turns to at a rising position.
RISING = "right"

# This unit, whose zeros lie between the measured ones.
LEVEL = {1: 466, 2: 598}
STOPS = {1: (0, 1000), 2: (LEVEL[2] - 3, LEVEL[2] + 285)}
# A servo without a time for its goal: 60 degrees in 0.1 s.
PER_S_MAX = 1920
# Owners' buses hang at goals farther away than 30 degrees.
JUMP = 96
# What pulls a head so far at once is felt.
LURCH = 16
STALL_LOAD, LOAD = 1000, 40


class Servo:
    def __init__(self, stops, position):
        self.stops = stops
        self.place = float(position)
        self.goal = position
        self.limits = [0, 1000]
        self.torque = False
        self.held = False
        self.stalled_ms = 0
        self.last_way = 0
        self._per_s = PER_S_MAX
        self._moved_at = FakeTime.ticks_ms()

    @property
    def position(self):
        self.move()
        return int(self.place + 0.5)

    @position.setter
    def position(self, place):
        self.move()
        self.place = float(place)

    @property
    def stalls(self):
        """It pushes against a stop, or what holds it."""
        low, high = self.stops
        return self.torque and (
            self.goal > high and self.place >= high
            or self.goal < low and self.place <= low
            or self.held and abs(self.goal - self.place) > LURCH)

    def move(self):
        now = FakeTime.ticks_ms()
        ms = FakeTime.ticks_diff(now, self._moved_at)
        self._moved_at = now
        if not self.torque:
            return
        if not self.held:
            most = self._per_s * ms / 1000
            way = self.goal - self.place
            self.place += max(-most, min(most, way))
            low, high = self.stops
            self.place = max(low, min(high, self.place))
        if self.stalls:
            self.stalled_ms += ms

    def set_goal(self, goal, ms):
        self.move()
        self.goal = goal
        way = abs(goal - self.place)
        self._per_s = PER_S_MAX
        if ms:
            self._per_s = min(PER_S_MAX, way * 1000 / ms + 1)


class Uart:
    def __init__(self, complain):
        self._complain = complain
        self._reply = b""
        self._powered_at = None
        self._off_at = FakeTime.ticks_ms()
        self.servos = {1: Servo(STOPS[1], 520), 2: Servo(STOPS[2], 700)}
        # None, "all", "replies" (goals are taken) or "reads".
        self.hung = None
        # Whether a second without power ends it; nobody has shown that.
        self.cures = True
        # Hangs after a way of this many goals, if it is a number.
        self.hangs_after = None
        self.goals = 0
        self.writes = 0
        self.cycles_ms = []
        self.fastest = 0
        self.both_reversed = 0

    def power(self, on):
        now = FakeTime.ticks_ms()
        for servo in self.servos.values():
            servo.move()
            servo.torque = False
        if on == (self._powered_at is not None):
            return
        if not on:
            self._powered_at, self._off_at = None, now
            return
        self._powered_at = now
        self.cycles_ms.append(now)
        if FakeTime.ticks_diff(now, self._off_at) >= 1000 and self.cures:
            self.hung = None

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
        if data[:2] != b"\xff\xff" or ~sum(data[2:-1]) & 255 != data[-1]:
            self._complain("a packet with a wrong head or sum")
            return
        now = FakeTime.ticks_ms()
        since = FakeTime.ticks_diff(now, self._powered_at)
        if since < WAKE_MS:
            return
        self._wake(FakeTime.ticks_add(self._powered_at, WAKE_MS))
        number, size, instruction = data[2], data[3], data[4]
        if size != len(data) - 4:
            self._complain("a packet of another length")
        servo = self.servos.get(number)
        if servo is None:
            self._complain("servo %d" % number)
            return
        servo.move()
        if self.hung == "all":
            return
        if instruction == 2:
            if self.hung is None:
                self._answer(number, self._memory(servo, data[5], data[6]))
            return
        self._take(number, servo, data[5], data[6:-1])
        if self.hung in (None, "reads"):
            self._answer(number, b"")

    def _wake(self, at):
        """From then on, each is pulled to the goal that it has kept."""
        if self._off_at is None:
            return
        self._off_at = None
        for servo in self.servos.values():
            if servo.limits != [0, 0]:
                servo.torque = True
                servo._moved_at = at
                servo._per_s = PER_S_MAX

    def _memory(self, servo, address, count):
        if (address, count) == (9, 4):
            low, high = servo.limits
            return bytes([low >> 8, low & 255, high >> 8, high & 255])
        if (address, count) != (56, 8):
            self._complain("a read at %d" % address)
        load = STALL_LOAD if servo.stalls else LOAD
        at = servo.position
        return bytes([at >> 8, at & 255, 0, 0, load >> 8, load & 255, 60, 31])

    def _take(self, number, servo, address, body):
        if address == 9:
            servo.limits = [body[0] << 8 | body[1], body[2] << 8 | body[3]]
            return
        if address == 40:
            if body[0] and abs(servo.goal - servo.place) > LURCH:
                self._complain("torque lets the head lurch by %d" % abs(
                    servo.goal - servo.place))
            servo.torque = bool(body[0])
            return
        if address != 42:
            self._complain("a write at %d" % address)
            return
        goal, ms = body[0] << 8 | body[1], body[2] << 8 | body[3]
        if servo.limits == [0, 0]:
            self._complain("servo %d turns on and on as a motor" % number)
            return
        if not POSITIONS[0] <= goal <= POSITIONS[1]:
            self._complain("servo %d to %d" % (number, goal))
        before = servo.goal
        way = min(abs(goal - servo.place), abs(goal - before))
        if way > JUMP:
            self._complain("servo %d jumps by %d" % (number, way))
            self.hung = "all"
        servo.set_goal(goal, ms)
        if servo.torque and ms:
            speed = abs(goal - before) * 1000 / ms
            self.fastest = max(self.fastest, speed)
            servo.last_way = goal - before
        self.goals += 1
        if self.hangs_after is not None and self.goals >= self.hangs_after:
            self.hangs_after, self.hung = None, "all"

    def _answer(self, number, body):
        rest = bytes([number, len(body) + 2, 0]) + body
        self._reply += b"\xff\xff" + rest + bytes([~sum(rest) & 255])
