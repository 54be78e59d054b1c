# SPDX-License-Identifier: Apache-2.0
"""M5Stack's StackChan, or its CoreS3 alone, on the firmware UIFlow2.

The only file that imports the vendor's modules. The firmware has a class for
the whole body: a part that fails in it must not take the others along.
"""

import asyncio
import binascii
import json
import sys
import time

import esp32
import machine
import M5
import network

from perch import senses
from perch.boards.stackchan_body import Gauges, Infrared, Strip, Wifi
from perch.boards.stackchan_screen import Panel
from perch.boards.stackchan_sound import Player
from perch.date import unix_s_of
from perch.servos import PITCH, POSITION_MAX, YAW, Servos

ROOT = "/flash"
BODY_TRIES, BODY_AGAIN_MS = 6, 500
IR_RECEIVE, IR_SEND = 10, 5
DIM_AFTER_MS = 300000
TURNING_MS = 1000
SECOND_MS = 1000
CODE_EVERY_S = 5
# Zeros of pitch that firmwares store without a measurement.
UNMEASURED = (0, 125)
# What a servo allows unless it has said otherwise.
FREE = (0, POSITION_MAX)


def set_zone():
    """Setting the clock reads the zone, which crashes without one.

    m5stack/uiflow-micropython, m5stack/machine_rtc.c (5afa2b5d).
    """
    zone = getattr(time, "timezone", None)
    if zone is not None and zone() != "GMT0":
        zone("GMT0")


class StackChanBoard:
    def __init__(self, root=ROOT):
        M5.begin()
        set_zone()
        self.folder = root
        self.settings_path = root + "/settings.json"
        self._missing = []
        self._robot = None
        self._settings = None
        self._parts = {}
        self._body = None
        self._gauges = Gauges()
        self._wifi = None
        self._code = None
        is_stackchan = M5.getBoard() == getattr(
            M5.BOARD, "M5StackChan", None)
        self.model = "stackchan-k151" if is_stackchan else "cores3"
        if is_stackchan:
            self._body = self._find_body()

    def use(self, settings):
        """Called once, before the parts are asked for."""
        self._settings = settings

    def serial(self):
        return "stackchan-" + binascii.hexlify(machine.unique_id()).decode()

    def boot_cause(self):
        cause = machine.reset_cause()
        for name, code in (("power_on", "PWRON_RESET"),
                           ("reset", "HARD_RESET"),
                           ("watchdog", "WDT_RESET"),
                           ("wake", "DEEPSLEEP_RESET"),
                           ("reset", "SOFT_RESET")):
            if cause == getattr(machine, code, None):
                return name
        return "other"

    def unix_s(self):
        year, month, day, _, hour, minute, second, _ = (
            machine.RTC().datetime())
        return unix_s_of(year, month, day, hour, minute, second)

    def set_unix_s(self, unix_s):
        begin = unix_s_of(time.gmtime(0)[0], 1, 1, 0, 0, 0)
        year, month, day, hour, minute, second, weekday = time.gmtime(
            unix_s - begin)[:7]
        machine.RTC().datetime(
            (year, month, day, weekday, hour, minute, second, 0))

    def restart(self):
        machine.reset()

    def watchdog(self, timeout_ms):
        return machine.WDT(timeout=timeout_ms)

    def tell(self, event, **fields):
        """Says on the USB port what an installer wants to know."""
        if event == "session":
            self._code = None
            self._say(e=event)
        elif event == "closed":
            self._say(e=event, reason=fields["reason"])

    def show_code(self, code, uri):
        """The port is gone while the chip restarts: said again and again."""
        self._code = {"e": "code", "code": code, "uri": uri}
        self._say(**self._code)

    def _say(self, **line):
        sys.stdout.write(json.dumps(line) + "\n")

    def system_commands(self):
        return []

    def has_wifi(self):
        return self._wifi is None or self._wifi.connected

    def readings(self):
        values = dict(self._gauges.values)
        servos = self._parts.get("servos")
        if servos is not None:
            for servo, axis in ((YAW, "yaw"), (PITCH, "pitch")):
                if servo in servos.readings:
                    load, heat = servos.readings[servo]
                    values["head_%s_load_pct" % axis] = load
                    values["head_%s_temp_c" % axis] = heat
        return values

    # Parts, which raise where they are not there.

    def panel(self):
        if "panel" not in self._parts:
            self._parts["panel"] = Panel(M5.Lcd)
        return self._parts["panel"]

    def servos(self):
        body = self._with("uart")
        servos = Servos(
            body.uart, lambda on: body.set_servo_power(on, settle_ms=0),
            self._log, lambda why: self._lost("head", why),
            lambda: self._robot.regain("head"))
        self._parts["servos"] = servos
        return servos

    def set_up_head(self, zeros=None, sign=None, limits=None):
        """Of the settings unless given. Returns why there is no head."""
        servos, get = self._parts["servos"], self._settings.get
        servos.zeros = None
        if zeros is None:
            zeros = self._zeros()
            sign = get("yaw_sign", -1)
            limits = {YAW: get("yaw_limits", FREE),
                      PITCH: get("pitch_limits", FREE)}
        if len(zeros) < 2:
            return "not calibrated: tap here"
        servos.set_up(zeros, sign, limits)
        return None

    def strip(self):
        self._parts["strip"] = Strip(self._with("rgb").rgb, self._lost)
        return self._parts["strip"]

    def player(self):
        return Player(M5.Speaker)

    def extras(self):
        return Extras(self)

    async def run(self, robot):
        """Starts what polls and moves, each in its own try."""
        self._robot = robot
        for text in self._missing:
            robot.note(text)
        for name, start in (
                ("wifi", self._start_wifi), ("touch", self._start_touch),
                ("head_touch", self._start_head_touch),
                ("motion", self._start_motion), ("prox", self._start_prox),
                ("ir", self._start_ir), ("nfc", self._start_nfc),
                ("usb", self._start_usb), ("gauges", self._start_gauges)):
            try:
                start()
            except Exception as error:
                self._lost(name, repr(error))
        if robot.head is not None:
            self._parts["servos"].start()
        seconds = 0
        while True:
            await asyncio.sleep_ms(SECOND_MS)
            seconds += 1
            if self._code is not None and seconds % CODE_EVERY_S == 0:
                self._say(**self._code)
            strip = self._parts.get("strip")
            if strip is not None and robot.leds is not None:
                strip.catch_up()
            if robot.light is not None:
                robot.light.dim(
                    robot.battery.low or robot.idle_ms() > DIM_AFTER_MS)

    def _find_body(self):
        """The class fails at the first part that does not answer.

        What it had found by then can be used: it keeps one instance.
        """
        from hardware.stackchan import StackChan

        error = None
        for attempt in range(BODY_TRIES):
            try:
                return StackChan(i2c=1, uart=1)
            except Exception as failed:
                error = failed
                if self._is_whole_but_nfc(StackChan):
                    break
                # The body's own controller starts more slowly.
                time.sleep_ms(BODY_AGAIN_MS)
        self._missing.append("body: %r" % error)
        return getattr(StackChan, "_instance", None)

    def _is_whole_but_nfc(self, kind):
        body = getattr(kind, "_instance", None)
        return hasattr(body, "servo") and hasattr(body, "touch")

    def _with(self, part):
        if self._body is None or getattr(self._body, part, None) is None:
            raise OSError("the body has no " + part)
        return self._body

    def _zeros(self):
        """Positions at 0 degrees that somebody has measured, by servo."""
        zeros, get = {}, self._settings.get
        try:
            stored = esp32.NVS("servo")
            zeros = {servo: stored.get_i32("zero_pos_%d" % servo)
                     for servo in (YAW, PITCH)}
            if zeros[PITCH] in UNMEASURED:
                zeros = {}
        except OSError:
            pass
        for servo, name in ((YAW, "yaw_zero"), (PITCH, "pitch_zero")):
            if get(name) is not None:
                zeros[servo] = get(name)
        return zeros

    def _watch(self, name, sense):
        self._task(senses.watch(name, sense, self._lost))

    def _start_touch(self):
        report = self._robot.inputs.report
        self._watch("touch", senses.ScreenTouch(M5.update, M5.Touch, report))
        self._watch("power_key", senses.PowerKey(M5.BtnPWR, report))

    def _start_head_touch(self):
        zones = self._with("touch").get_touch
        servos = self._parts.get("servos")
        self._watch("head_touch", senses.HeadTouch(
            zones, self._robot.inputs.report,
            servos.awake if servos else lambda ms: True))

    def _start_motion(self):
        M5.Imu.getAccel()
        self._watch("motion", senses.Motion(
            M5.Imu.getAccel, self._is_turning, self._robot.inputs.report))

    def _start_prox(self):
        M5.Als.getProximitySensorData()
        self._watch("prox", senses.Nearness(
            M5.Als.getProximitySensorData, self._robot.inputs.report))
        self._gauges.add("light_lux", M5.Als.getLightSensorData)
        self._gauges.add("proximity_raw", M5.Als.getProximitySensorData)

    def _start_ir(self):
        import rmt_ir

        self._parts["ir"] = Infrared(rmt_ir.NEC_8, IR_RECEIVE, IR_SEND)
        self._watch("ir", senses.Remote(
            self._parts["ir"], self._robot.inputs.report))

    def _start_nfc(self):
        tags = senses.Tags(self._with("nfc").nfc, self._is_playing,
                           self._robot.inputs.report)
        self._task(tags.run(self._lost))

    def _start_usb(self):
        M5.Power.getVBUSVoltage()
        self._watch("usb", senses.Supply(
            M5.Power.getVBUSVoltage, self._robot.inputs.report))

    def _start_gauges(self):
        add, power = self._gauges.add, M5.Power
        add("battery_pct", power.getBatteryLevel)
        add("charging", lambda: bool(power.isCharging()))
        add("usb_power", lambda: (
            power.getVBUSVoltage() >= senses.Supply.PRESENT_MV))
        body = self._body
        if body is not None and hasattr(body, "power_monitor"):
            # No current: sources differ about the shunt.
            add("battery_v", lambda: round(body.get_battery_voltage(), 2))
        if self._wifi is not None:
            add("wifi_rssi_dbm", self._wifi.rssi)
            add("wifi_ssid", self._wifi.ssid)
            add("ip_address", self._wifi.address)
        self._task(self._gauges.run())

    def _start_wifi(self):
        given = self._settings.get("wifi", {})
        name, password = given.get("ssid"), given.get("password", "")
        if not name:
            stored = esp32.NVS("uiflow")
            name, password = stored.get_str("ssid0"), stored.get_str("pswd0")
        self._wifi = Wifi(network.WLAN(network.STA_IF), name, password)
        self._task(self._wifi.run(self._log, self._robot.restart))

    def _is_turning(self):
        head = self._robot.head
        return head is not None and head.turned_within(TURNING_MS)

    def _is_playing(self):
        speaker = self._robot.speaker
        return speaker is not None and speaker.playing is not None

    def _task(self, coroutine):
        asyncio.create_task(self._guarded(coroutine))

    async def _guarded(self, coroutine):
        try:
            await coroutine
        except Exception as error:
            sys.print_exception(error)
            self._log(repr(error))

    def _log(self, text):
        if self._robot is not None:
            self._robot.log("warn", text)

    def _lost(self, name, why):
        self._log("%s: %s" % (name, why))
        self._robot.lose(name, why)


class Extras:
    """Commands of its own, as far as the board can."""

    def __init__(self, board):
        self._board = board

    def stickers(self, stickers, name, picture):
        self._board.panel().set_stickers(stickers, name, picture)

    def power_led(self, on):
        M5.Power.setLed(255 if on else 0)

    def ir_send(self, address, command):
        sender = self._board._parts.get("ir")
        if sender is None:
            raise OSError("no infrared")
        sender.send(address, command)
