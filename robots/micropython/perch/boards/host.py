# SPDX-License-Identifier: Apache-2.0
"""A robot without a body, in the unix build: for tests and the demo.

The only file that touches the host. What the robot does is written to stdout,
and what a person would do to it is read from stdin, one JSON object a line.
"""

import asyncio
import gc
import json
import sys
import time

from perch.args import Nack
from perch.boards import host_faults
from perch.boards.host_canvas import HostCanvas

LEAD_MS = 256
SYSTEM_COMMANDS = (
    ("restart", "Restarts the robot", "system"),
    ("app_start", "Switches to another app", "system"),
    ("settings_read", "What its manager set", "system"),
    ("camera_stream", "Turns the camera on", "program"),
    ("mic_stream", "Turns the microphone on", "program"),
    ("wifi_set", "Joins another network", "manager"),
)

# What a robot on a cable reads; a person may unplug it.
READINGS = {"battery_pct": 81, "battery_v": 4.01, "charging": True,
            "usb_power": True, "light_lux": 240, "proximity_raw": 0,
            "accel_x_g": 0, "accel_y_g": 0, "accel_z_g": 1,
            "gyro_x_dps": 0, "gyro_y_dps": 0, "gyro_z_dps": 0,
            "wifi_rssi_dbm": -54, "wifi_ssid": "host"}


class HostBoard:
    model = "stackchan-k151"

    def __init__(self, folder):
        self.folder = folder
        self.settings_path = folder + "/settings.json"
        with open(self.settings_path) as file:
            self._given = json.load(file)
        self._readings = {}
        self._power = dict(READINGS)
        self._files = 0
        self._panel = None
        self._wifi = True
        self._longest_ms = 0

    def use(self, settings):
        if settings.get("mdns"):
            from perch.names import NAMES

            NAMES.server = settings.get("mdns")

    def serial(self):
        return "host"

    def boot_cause(self):
        return self._given.get("boot_cause", "power_on")

    def unix_s(self):
        """The clock of certificates is the host's; a test may pretend."""
        return int(self._given.get("clock_s", time.time()))

    def set_unix_s(self, unix_s):
        self._given["clock_s"] = unix_s
        self.tell("clock", s=unix_s)

    def restart(self):
        """Whoever started the process starts it again."""
        self.tell("restart")
        sys.exit()

    def watchdog(self, _timeout_ms):
        """A process has none."""
        return None

    def panel(self):
        self._without("screen")
        self._panel = self._panel or Panel(self)
        return self._panel

    def servos(self):
        self._without("head")
        return Servos()

    def strip(self):
        self._without("leds")
        return Strip()

    def player(self):
        self._without("speaker")
        return Player(self)

    def extras(self):
        return Extras(self)

    def readings(self):
        readings = dict(self._power)
        readings.update(self._readings)
        return readings

    def system_commands(self):
        """Commands that no program may call; the service refuses them."""
        return [{"name": name, "description": text, "class": kind,
                 "args": {"type": "object"}}
                for name, text, kind in SYSTEM_COMMANDS]

    def has_wifi(self):
        return self._wifi

    def show_code(self, code, uri):
        self.tell("code", code=code, uri=uri)

    def tell(self, event, **fields):
        fields["e"] = event
        sys.stdout.write(json.dumps(fields) + "\n")

    def file(self, kind):
        """Returns a new path; the reader of stdout removes the file."""
        self._files += 1
        return "%s/%s-%d" % (self.folder, kind, self._files)

    async def run(self, robot):
        """Reads what happens to the robot until stdin ends."""
        stdin = asyncio.StreamReader(sys.stdin.buffer)
        faults = host_faults.Faults(robot)
        asyncio.create_task(self._measure())
        self.tell("started", bootId=robot.boot_id, features=robot.features)
        while True:
            line = await stdin.readline()
            if not line:
                # Whoever started the robot has ended.
                sys.exit()
            given = json.loads(line)
            what = given["c"]
            if what == "input":
                if given["kind"] == "usb":
                    plugged = given["fields"]["present"]
                    self._power["usb_power"] = plugged
                    self._power["charging"] = plugged
                robot.inputs.report(given["kind"], given["fields"])
            elif what == "readings":
                self._readings = given["values"]
            elif what == "report":
                gc.collect()
                robot.sensors.report()
            elif what == "log":
                robot.log(given["level"], given["text"])
            elif what == "url":
                robot.settings.save(url=given["url"])
            elif what == "longest":
                self.tell("longest", ms=self._longest_ms)
            elif what == "update":
                # As the command of the link, which begins the same.
                robot.updater.offered(given["offer"])
                try:
                    robot.updater.start(given["offer"]["version"])
                except Nack as nack:
                    self.tell("refused", code=nack.code)
            elif what == "heap":
                gc.collect()
                self.tell("heap", freeKb=gc.mem_free() // 1024)
            elif what == "frame":
                self._tell_frame(robot, given["still"])
            elif what == "wifi":
                self._wifi = given["on"]
            elif what == "updating":
                robot.updating = given["on"]
            elif what == "drop":
                robot.link.drop()
            elif what == "redial":
                faults.redial()
            elif what == "faults":
                faults.set(given["settings"])
            elif what == "stop":
                await robot.stop()
                return

    def _tell_frame(self, robot, still):
        """Writes what the robot draws by itself, 16 bits a pixel."""
        robot.face.draw(still)
        path = self.file("frame")
        with open(path, "wb") as file:
            file.write(self._panel.canvas.pixels)
        self.tell("frame", file=path)

    async def _measure(self):
        """Notes the most work of the processor between two of its turns."""
        while True:
            before = time.clock()
            await asyncio.sleep_ms(1)
            ms = int((time.clock() - before) * 1000)
            self._longest_ms = max(self._longest_ms, ms)

    def _without(self, part):
        if part in self._given.get("absent", []):
            raise OSError("absent")


class Panel:
    """Draws its own screen; pictures go to whoever reads stdout."""

    def __init__(self, board):
        self._board = board
        self.bands = 1
        self.canvas = HostCanvas()
        self.top = None

    def begin(self, _band):
        pass

    def show(self, picture):
        self.top = picture

    def light(self, _pct):
        pass

    def flush(self):
        pass

    def keep(self, layer, picture):
        path = self._board.file(layer)
        with open(path, "wb") as file:
            file.write(picture.data)
        return path


class Servos:
    def __init__(self):
        self.target = (0, 0)

    def go(self, yaw, pitch, _ms):
        self.target = (yaw, pitch)


class Strip:
    def __init__(self):
        self.frames = 0

    def write(self, _lights):
        self.frames += 1


class Player:
    """Takes samples as fast as they would play, 256 ms ahead."""

    def __init__(self, board):
        self._board = board
        self._file = None
        self._rate = 16000
        self._until_us = 0

    def set_volume(self, _pct):
        pass

    def begin(self, rate, _volume):
        path = self._board.file("sound")
        self._file = open(path, "wb")
        self._rate = rate
        self._until_us = time.ticks_us()
        return path

    def left_ms(self):
        left = time.ticks_diff(self._until_us, time.ticks_us())
        return max(0, left // 1000)

    def room(self):
        return (LEAD_MS - self.left_ms()) * self._rate * 2 // 1000

    def write(self, samples):
        now = time.ticks_us()
        if time.ticks_diff(self._until_us, now) < 0:
            self._until_us = now
        us = len(samples) * 500000 // self._rate
        self._until_us = time.ticks_add(self._until_us, us)
        self._file.write(samples)

    def keep_playing(self, _last):
        pass

    def stop(self):
        self._file.close()


class Extras:
    def __init__(self, board):
        self._board = board

    def stickers(self, stickers, name, picture):
        path = None
        if picture is not None:
            path = self._board.file("sticker")
            with open(path, "wb") as file:
                file.write(picture.data)
        form = picture and picture.format
        self._board.tell("stickers", stickers=stickers, name=name, file=path,
                         format=form)

    def power_led(self, _on):
        pass

    def ir_send(self, _address, _command):
        pass
