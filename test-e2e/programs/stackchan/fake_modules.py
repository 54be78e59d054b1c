# SPDX-License-Identifier: Apache-2.0
"""Stands in for the vendor's modules; a wrong use is noted as a complaint.

Only names that UIFlow2 has are there: another one is an AttributeError.
`world` is what surrounds the robot, and what is broken in it.
"""

import binascii
import sys

from fake_clock import FakeTime, clock
from fake_screen import Lcd
from fake_servos import LEVEL, Uart

# Of a request with a byte of address, at 100 kHz.
I2C_US = 700
DMA_MS = 39
# The head's zones read as touched while the rail of the servos comes up.
RAIL_FELT_MS = 1500


class World:
    """How it is at power-on; a check changes it."""

    board = 26
    accel = (0.0, 0.0, 1.0)
    proximity = 12
    touches = []
    zones = [0, 0, 0]
    card = None
    vbus_mv = 5000
    battery_pct = 81
    battery_v = 4.0731
    radio_starts = 0
    clicked = held = False
    wifi = True
    broken = ()
    i2c_factor = 1
    body_tries = 0
    reset_cause = 1
    # What the Head Calibration of UIFlow2 has stored; None: nothing.
    zeros = LEVEL

    def __init__(self):
        self.complaints = []
        self.uart = Uart(self.complain)
        self.leds = [0] * 12
        self.refreshes = 0
        self.power_led = None
        self.ir = None
        self.ir_sent = []
        self.played_bytes = self.played_crc32 = 0
        self.silences_ms = []
        self.volume = None
        self.heard = []

    def complain(self, what):
        if what not in self.complaints:
            self.complaints.append(what)

    def i2c(self, part, times=1):
        clock.work(I2C_US * self.i2c_factor * times)
        if part in self.broken:
            raise OSError("%s: ENODEV" % part)


world = World()


class Touch:
    @staticmethod
    def getCount():
        return len(world.touches)

    @staticmethod
    def getX():
        return world.touches[0][0]

    @staticmethod
    def getY():
        return world.touches[0][1]


class BtnPWR:
    @staticmethod
    def wasClicked():
        clicked, world.clicked = world.clicked, False
        return clicked

    @staticmethod
    def wasHold():
        held, world.held = world.held, False
        return held


class Imu:
    @staticmethod
    def getAccel():
        world.i2c("imu")
        return world.accel() if callable(world.accel) else world.accel


class Als:
    @staticmethod
    def getProximitySensorData():
        world.i2c("prox")
        return world.proximity

    @staticmethod
    def getLightSensorData():
        world.i2c("prox")
        return 77


class Power:
    @staticmethod
    def getBatteryLevel():
        world.i2c("power")
        return world.battery_pct

    @staticmethod
    def isCharging():
        world.i2c("power")
        return True

    @staticmethod
    def getVBUSVoltage():
        world.i2c("power")
        return world.vbus_mv

    @staticmethod
    def setLed(level):
        if not 0 <= level <= 255:
            world.complain("LED %r" % level)
        world.power_led = level


class Speaker:
    """Two buffers at most, played where they are."""

    queue = []
    running = False

    @classmethod
    def begin(cls):
        if "speaker" in world.broken:
            raise OSError("speaker")
        cls.running = True

    @classmethod
    def setVolumePercentage(cls, share):
        if not 0 <= share <= 1:
            world.complain("volume %r" % share)
        world.volume = share

    @classmethod
    def _advance(cls):
        now = FakeTime.ticks_ms()
        while cls.queue and cls.queue[0][0] <= now:
            ends, data, crc = cls.queue.pop(0)
            if binascii.crc32(data) != crc:
                world.complain("a buffer was changed while it played")
            world.played_bytes += len(data)
            world.played_crc32 = binascii.crc32(data, world.played_crc32)
            if not cls.queue:
                cls.ended = ends

    ended = None

    @classmethod
    def isPlaying(cls, channel):
        cls._advance()
        if not cls.queue:
            return 0
        left = cls.queue[-1][0] - FakeTime.ticks_ms()
        return 0 if left < DMA_MS and len(cls.queue) == 1 else len(cls.queue)

    @classmethod
    def playRaw(cls, data, rate, stereo, repeat, channel, stop):
        if not cls.running:
            world.complain("sound before begin()")
        if rate not in (16000, 24000) or stereo or repeat != 1 or stop:
            world.complain("sound at %r" % rate)
        cls._advance()
        if len(cls.queue) >= 2:
            world.complain("a third buffer, which blocks")
        now = FakeTime.ticks_ms()
        begins = cls.queue[-1][0] if cls.queue else now
        if not cls.queue and cls.ended is not None:
            world.silences_ms.append(now - cls.ended)
        ends = begins + len(data) * 1000 / (2 * rate)
        cls.queue.append((ends, data, binascii.crc32(data)))
        clock.work(30)

    @classmethod
    def stop(cls, channel):
        cls._advance()
        cls.queue = []
        cls.ended = None


class Card:
    def __init__(self, uid, memory, type_name="NTAG_213"):
        self.uid = uid
        self.type_name = type_name
        self.memory = memory


class Chip:
    def type2_read_quad(self, page):
        world.i2c("nfc", 12)
        at = 4 * (page - 4)
        part = world.card.memory[at:at + 16] if world.card else b""
        return part + bytes(16 - len(part)) if part else None


class Nfc:
    chip = Chip()

    def detect(self):
        if Speaker.queue:
            world.complain("a look for tags while sound plays")
        # Up to 50 ms, in one call of the driver.
        clock.us += 40000
        if "nfc" in world.broken:
            raise OSError("nfc")
        return world.card


class Rgb:
    def __init__(self):
        world.i2c("leds")
        self._colors = [0] * 12

    def set_color(self, i, color, refresh=True):
        if not 0 <= i < 12 or not 0 <= color <= 0xFFFFFF:
            world.complain("LED %r in colour %r" % (i, color))
        self._colors[i] = color
        if refresh:
            self.refresh()

    def refresh(self):
        world.i2c("leds", 5)
        world.leds = list(self._colors)
        world.refreshes += 1


class StackChan:
    """Its parts are made one after the other, as in the firmware."""

    _instance = None

    def __new__(cls, *_args, **_kwargs):
        if cls._instance is None:
            cls._instance = object.__new__(cls)
        return cls._instance

    def __init__(self, i2c=1, uart=1):
        if (i2c, uart) != (1, 1):
            world.complain("I2C %r, UART %r" % (i2c, uart))
        if world.body_tries > 0:
            world.body_tries -= 1
            raise OSError("the body's controller does not answer")
        world.i2c("body")
        self.rgb = Rgb()
        world.i2c("head_touch")
        self.touch = object()
        self.uart = world.uart
        self.servo = object()
        self.power_monitor = object()
        if "nfc" in world.broken:
            raise OSError("no NFC")
        self.nfc = Nfc()

    def set_servo_power(self, enable=True, settle_ms=None):
        world.i2c("body", 3)
        if settle_ms is None:
            clock.work(1000000 if enable else 200000)
        world.uart.power(enable)

    def get_touch(self):
        world.i2c("head_touch")
        up_at = world.uart._powered_at
        if up_at is not None and FakeTime.ticks_diff(
                FakeTime.ticks_ms(), up_at) < RAIL_FELT_MS:
            return [1, 1, 1]
        return list(world.zones)

    def get_battery_voltage(self):
        world.i2c("body")
        return world.battery_v

    def get_battery_current(self):
        """By a shunt of 0.08 or 0.01 ohm: sources differ."""
        world.complain("the current is read")
        return 0.12


class Nec8:
    """`rmt_ir.NEC_8`: bits as they are, marks and spaces of them in us.

    From m5stack/uiflow-micropython, m5stack/cmodules/rmt_ir/py_rmt_ir.c at
    5afa2b5 (2.4.2; no later version of it is public): a frame of 34 symbols
    is read if each length is less than 500 us from NEC's, whatever its bits
    are; others are dropped. `send` writes address and command, 16 bits each,
    the lowest first, without the inverse of any byte. There is no access to
    the lengths.
    """

    HEAD, BIT, ONE, MARGIN = (9000, 4500), 560, 1690, 500

    def __init__(self, receive, send, callback):
        if (receive, send) != (10, 5):
            world.complain("infrared at pins %r" % ((receive, send),))
        self._callback = callback
        self._code = (0, 0)
        self._is_repeat = self._is_ready = False
        world.ir = self

    def _near(self, pair, nominal):
        return all(abs(us - of) < self.MARGIN for us, of in zip(pair, nominal))

    def receive(self, lengths):
        """Marks and spaces of a remote, a mark first and last."""
        pairs = [lengths[i:i + 2] for i in range(0, len(lengths), 2)]
        self._is_ready = self._is_repeat = False
        if len(pairs) == 2 and self._near(pairs[0], (9000, 2250)):
            self._is_repeat = True
        elif len(pairs) == 34 and self._near(pairs[0], self.HEAD):
            bits = 0
            for i, pair in enumerate(pairs[1:33]):
                if self._near(pair, (self.BIT, self.ONE)):
                    bits |= 1 << i
                elif not self._near(pair, (self.BIT, self.BIT)):
                    return
            self._code = (bits & 0xFFFF, bits >> 16)
        else:
            return
        self._is_ready = True
        self._callback(None)

    def read(self):
        if not self._is_ready:
            return None
        self._is_ready = False
        return self._code + (self._is_repeat,)

    def send(self, address, command):
        bits = (command & 0xFFFF) << 16 | address & 0xFFFF
        sent = list(self.HEAD)
        for i in range(32):
            sent += [self.BIT, self.ONE if bits >> i & 1 else self.BIT]
        world.ir_sent.append(sent + [self.BIT])


class Nvs:
    def __init__(self, name):
        if name not in ("uiflow", "servo"):
            world.complain("the namespace %s" % name)

    def get_i32(self, key):
        if world.zeros is None:
            raise OSError("not found")
        return {"zero_pos_1": world.zeros[1],
                "zero_pos_2": world.zeros[2]}[key]

    def get_str(self, key):
        return {"ssid0": "home", "pswd0": "secret"}[key]


class Wlan:
    def __init__(self, _kind):
        self._on = self._joined = False

    def active(self, on):
        world.radio_starts += on and not self._on
        self._on = on
        self._joined = self._joined and on

    def config(self, pm):
        if pm != 0:
            world.complain("power saving of the radio: %r" % pm)

    def connect(self, name, password):
        if not self._on:
            world.complain("a network before active(True)")
        self._joined = (name, password) == ("home", "secret")

    def disconnect(self):
        self._joined = False

    def isconnected(self):
        return self._joined and world.wifi

    def status(self, what):
        return {"rssi": -51}[what]

    def ifconfig(self):
        return ("192.0.2.7", "255.255.255.0", "192.0.2.1", "192.0.2.1")


class Wdt:
    """Cannot be stopped; on an ESP32 a second one changes the time."""

    times_ms = []

    def __init__(self, timeout):
        if "watchdog" in world.broken:
            raise OSError("no watchdog")
        if timeout < 1000:
            world.complain("a watchdog of %r ms" % timeout)
        Wdt.times_ms.append(timeout)
        self.feed()

    def feed(self):
        clock.check()
        clock.fires_us = clock.us + 1000 * Wdt.times_ms[-1]


class Rtc:
    """As in m5stack/uiflow-micropython, machine_rtc.c (5afa2b5d).

    Before it sets the time it copies the time zone, of which there is none
    until somebody has set one: the chip reads at address 0.
    """

    now = (2000, 1, 1, 5, 0, 0, 9, 0)

    def datetime(self, now=None):
        if now is None:
            return Rtc.now
        if FakeTime.zone is None:
            world.complain("the clock is set without a time zone: a crash")
        # What the chip for the time keeps: a bit says which century.
        if len(now) != 8 or now[0] < 1990 or not 0 <= now[3] <= 6:
            world.complain("the date %r" % (now,))
        Rtc.now = now


def update():
    world.i2c("touch")


class Board:
    M5StackChan = 26
    M5StackCoreS3 = 10


def module(name, **names):
    """Only the given names are in it."""
    made = type(name, (), names)
    sys.modules[name] = made
    return made


lcd = Lcd(world.complain)
module("M5", begin=staticmethod(lambda: None), update=staticmethod(update),
       getBoard=staticmethod(lambda: world.board), BOARD=Board, Lcd=lcd,
       Touch=Touch, BtnPWR=BtnPWR, Imu=Imu, Als=Als, Power=Power,
       Speaker=Speaker)
module("hardware")
module("hardware.stackchan", StackChan=StackChan)
sys.modules["hardware"].stackchan = sys.modules["hardware.stackchan"]
module("rmt_ir", NEC_8=Nec8)
module("esp32", NVS=Nvs)
module("network", WLAN=Wlan, STA_IF=0)
module("machine", unique_id=staticmethod(lambda: b"\x01\x02\x03\x04\x05\x06"),
       reset_cause=staticmethod(lambda: world.reset_cause), PWRON_RESET=1, HARD_RESET=2,
       RTC=Rtc, WDT=Wdt, WDT_RESET=3, DEEPSLEEP_RESET=4, SOFT_RESET=5)
