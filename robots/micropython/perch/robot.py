# SPDX-License-Identifier: Apache-2.0
"""The robot: its parts, each in its own try, and its link."""

import asyncio
import binascii
import os
import sys
import time

from perch import actions, watchdog
from perch.battery import Battery
from perch.calibration import Calibration
from perch.clock import Clock
from perch.commands import Commands
from perch.date import ServiceClock
from perch.face import Face
from perch.head import Head
from perch.http import FOREIGN, is_plain
from perch.inputs import Inputs
from perch.leds import Leds
from perch.light import Light
from perch.link import Link
from perch.media import Media
from perch.own import Own
from perch.own_screen import words_of
from perch.pair import pair
from perch.screen import Screen
from perch.sensors import Sensors
from perch.slots import Slots
from perch.speaker import BUFFER_BYTES, RATES, Speaker
from perch.update import Updater

# Another one in every release that changes a file of the program: robots are
# offered the version that a release has.
VERSION = "0.4"
LEDS = 12
PICTURE_BYTES_MAX = 98304
PART_BYTES_MAX = 4096
LOG_CHARS_MAX = 400
# Of ten lines in a minute that the service takes.
LOGGED_MAX = 8
# A robot that is back within this was never away.
AWAY_MS = 3000
NOTICE_MS = 250
# The link, commands, the board and what feeds the watchdog.
ESSENTIAL = 4
# What goes with a part that has failed.
LOST_WITH = {
    "head": ("head", "move_duration"),
    "leds": ("leds",),
    "speaker": ("speaker", "open_sound"),
    "touch": ("touch",),
}
# A chip is restarted for a part that hangs, at most once in this time.
RESTART_S = 6 * 3600
# From the first sample of a burst to its end, and some more.
BURST_MS = 2500


class Robot:
    version = VERSION

    def __init__(self, board, settings):
        self.board = board
        self.tell = board.tell
        self.settings = settings
        self.clock = Clock()
        self.missing = []
        self.service_clock = ServiceClock(board, settings, self.note)
        self.boot_id = binascii.hexlify(os.urandom(3)).decode()
        self.features = []
        try:
            watchdog.start(board.watchdog)
        except Exception as error:
            self.note("watchdog: %r" % error)
        self.link = Link(self, settings)
        self.media = Media(
            ("png", "jpeg"), PICTURE_BYTES_MAX, self.violation)
        tell, send = self.tell, self.link.send
        self.light = None
        self.screen = self._part(
            ("screen", "touch", "lights_questions"), self._make_screen)
        self.face = self._part(
            ("face", "bubble", "bubble_picture"),
            lambda: Face(board.panel(), tell, self._is_covered, self._hide,
                         self._loudness, self._shown_readings))
        # Why there is no head where there are servos; for the screen.
        self.head_off = None
        self.calibration = None
        # Those that can be switched off and on.
        self.servos = None
        self._left_out = {}
        self.head = self._part(("head", "move_duration"), self._make_head)
        self.leds = self._part(
            ("leds",), lambda: Leds(board.strip(), LEDS, tell))
        self.speaker = self._part(
            ("speaker", "open_sound"),
            lambda: Speaker(board.player(), send, self.media.end, tell,
                            self.violation))
        self.own = Own(
            board.extras(), self.light, tell, self.calibration,
            self.service_clock if self._is_secure() else None)
        self.inputs = Inputs(
            self.clock, send, tell, self._sprite_at, self._is_dark,
            self._touched, self._is_own_touch)
        self.sensors = Sensors(self)
        self.battery = Battery(self)
        self.commands = Commands(
            lambda name, args: actions.prepare(self, name, args),
            send, self.clock, tell, self.violation)
        self._over = asyncio.Event()
        self._crash = None
        self.slots = Slots(board.folder)
        self.updater = Updater(self)
        self.updating = False
        self._pairing = None
        # The service has no version of the link in common.
        self.refused = False
        if self.slots.failed is not None:
            reason = "three starts without a welcome (%s)" % self.slots.error
            self.note("update %s: %s; the program before runs again" % (
                self.slots.failed, reason))
            self.updater.failed(self.slots.failed, reason)
        if settings.get("restarted_why"):
            self.note("restarted: " + settings.get("restarted_why"))
        self._used_at = time.ticks_ms()
        self._seen_at = None
        if self.head is not None and self.head_off is not None:
            self.lose("head", self.head_off)

    def _make_head(self):
        servos = self.board.servos()
        if hasattr(servos, "loosen"):
            self.servos = servos
            self.calibration = Calibration(self, servos)
            self.head_off = self.board.set_up_head()
        return Head(servos, self.tell)

    def _make_screen(self):
        self.light = Light(self.board.panel(), self.tell)
        return Screen(
            self.board.panel(), self.light, self.clock, self.tell)

    def _part(self, features, make):
        """A part that fails is left out, and so are its features."""
        try:
            part = make()
        except Exception as error:
            self.note("%s: %r" % (features[0], error))
            return None
        self.features.extend(features)
        return part

    def lose(self, name, why):
        """A part is left out: the service gets another hello."""
        if name in LOST_WITH:
            offered = len(self.features)
            for feature in LOST_WITH[name]:
                if feature in self.features:
                    self.features.remove(feature)
            if getattr(self, name, None) is not None:
                self._left_out[name] = getattr(self, name)
                setattr(self, name, None)
            if len(self.features) < offered:
                self._greet_again()
        if name == "head":
            self.head_off = why
            if name in self._left_out:
                self._left_out[name].stop()
        self.note("%s: %s" % (name, why))

    def regain(self, name):
        """A part that was left out works again."""
        if name not in self._left_out:
            return
        setattr(self, name, self._left_out.pop(name))
        self.features.extend(LOST_WITH[name])
        self.head_off = None
        self._greet_again()
        self.note("%s: works again" % name)

    def _greet_again(self):
        if self.link.dials:
            self.link.reason = "reconnect"
            self.link.drop()

    def note(self, text):
        """Tells the operator's log at the next session."""
        if text not in self.missing and len(self.missing) < LOGGED_MAX:
            self.missing.append(text)

    def idle_ms(self):
        """How long nobody has done anything with it."""
        return time.ticks_diff(time.ticks_ms(), self._used_at)

    @property
    def firmware(self):
        version = ".".join(str(n) for n in sys.implementation.version[:3])
        return "micropython-%s perch-%s" % (version, VERSION)

    async def run(self):
        tasks = [self._live(), self.commands.run(), self.board.run(self),
                 watchdog.run(), self.service_clock.run(),
                 self.battery.run()]
        if self.face is not None:
            tasks += [self.face.live(), self._notices()]
        for at, task in enumerate(tasks):
            asyncio.create_task(self._guarded(task, at < ESSENTIAL))
        await self._over.wait()
        if self._crash is not None:
            raise self._crash

    async def restart(self, why, keeps_inputs=True):
        """Restarts the chip for a part that hangs, if that loses nothing.

        Without `keeps_inputs` those that are not acknowledged are lost:
        they could not be sent without a restart, either.
        """
        settings, now = self.settings, self.service_clock.unix_s()
        before = settings.get("restarted_s")
        # A clock that was set back says nothing of when that was.
        if before is not None and now - before < RESTART_S and (
                self.clock.ms() < RESTART_S * 1000):
            return
        if not self._is_unused(keeps_inputs):
            return
        if self.head is not None:
            await self.head.rest()
            if not self._is_unused(keeps_inputs):
                return
        settings.save(restarted_s=now, restarted_why=why)
        await self.stop()
        self.board.restart()

    def _is_unused(self, keeps_inputs):
        calibrates = self.calibration is not None and self.calibration.runs
        has_inputs = keeps_inputs and self.inputs.pending
        return not (self.asks() or has_inputs or self.updating or calibrates)

    async def stop(self):
        self.sensors.stop()
        await self.link.stop()
        self._over.set()

    async def _guarded(self, task, is_essential):
        """Without one of the essential tasks a restart is better."""
        try:
            await task
        except Exception as error:
            sys.print_exception(error)
            self.log("error", repr(error))
            if is_essential:
                self._crash = error
                self._over.set()

    async def _live(self):
        if self._would_leak():
            why = "ws:// needs the setting unencrypted"
            return self.tell("closed", code=1006, reason=why, status=None,
                             final=True, retryMs=None)
        while True:
            if not self.settings.get("token"):
                await self._pair()
            why = await self.link.run()
            if "version" in why:
                return self._refused(why)
            if "token" not in why and "revoked" not in why:
                return
            await self._pair()
            self.link.reason = "reconnect"

    def _would_leak(self):
        """A robot that has a token was installed so, by 0.10 or by name."""
        settings = self.settings
        return is_plain(settings.get("url", "")) and not (
            settings.get("unencrypted") or settings.get("token"))

    def _refused(self, why):
        """Dialling again would not help: it needs another program."""
        self.refused = True
        if self.slots.on_trial:
            # After three starts the program before runs again.
            self.slots.note(why)
            self.board.restart()

    async def _pair(self):
        """It may be under way already."""
        self.doubted(True)
        await self._pairing

    async def _get_token(self):
        try:
            await self._ask_for_token()
        finally:
            self._pairing = None

    async def _ask_for_token(self):
        shape = {"serial": self.settings.get("serial", self.board.serial()),
                 "model": self.board.model, "firmware": self.firmware}
        await pair(self.settings, shape, self.tell, self._show_code,
                   self.before_dial, self._not_paired)
        if self.face is not None:
            self.face.show_code()
        self.link.redial()

    def _not_paired(self, why):
        self.link.trouble = why
        if why == FOREIGN and self.face is not None:
            # No code of this service is for the one that answers.
            self.face.show_code()
        self.tell("log", level="warn", text="pairing: " + why)

    def _show_code(self, code, uri):
        if self.face is not None:
            self.face.show_code(code, uri)
        self.board.show_code(code, uri)

    async def _notices(self):
        """Says on the screen why the robot does nothing."""
        shown, hinted = (None, None), (None, None)
        while True:
            name, now = None, time.ticks_ms()
            hint = (self.head_off and "head", self.head_off)
            if self.battery.low:
                hint = ("battery", None)
            if hint != hinted:
                hinted = hint
                self.face.hint(*hint)
            if self.link.online:
                self._seen_at = now
            elif (self._seen_at is None
                  or time.ticks_diff(now, self._seen_at) > AWAY_MS):
                # Ticks wrap: a robot that is away stays away.
                self._seen_at = None
                name = "looking" if self.board.has_wifi() else "wifi"
            if name == "looking" and self.link.trouble == FOREIGN:
                name = "foreign"
            if self._would_leak():
                name = "plain"
            if self.updating:
                name = "updating"
            if self.refused:
                name = "refused"
            detail = None
            if name == "looking":
                detail = host_of(self.settings.get("url", ""))
                if self.link.trouble.startswith("certificate"):
                    detail = self.link.trouble
            if (name, detail) != shown:
                shown = (name, detail)
                self.face.notice(name, detail)
                self.tell("notice", name=name, lines=words_of(name, detail))
            await asyncio.sleep_ms(NOTICE_MS)

    # What the link asks for.

    async def before_dial(self):
        if self._is_secure():
            await self.service_clock.prepare(self.link.trouble)

    def _is_secure(self):
        """Whether the other end of the link has to prove who it is."""
        return self.settings.get("url", "").startswith("wss:")

    def doubted(self, is_sure=False):
        """Shows a code, while it goes on dialling unless that is sure."""
        if self._pairing is None and (is_sure or not self.asks()):
            self._pairing = asyncio.create_task(self._get_token())

    def hello(self, dial, reason):
        screen, face = self.screen, self.face
        hello = {
            "t": "hello", "v": [1], "model": self.board.model,
            "firmware": self.firmware, "boot_id": self.boot_id,
            "dial": dial, "reason": reason, "features": self.features,
            "boot": self._boot(),
            "showing": {
                "card": screen and screen.id_of("card"),
                "question": screen and screen.id_of("question"),
                "emotion": face.emotion if face else "neutral",
                "view": face.view if face else "face"},
            "commands": self.own.declared() + self.board.system_commands(),
        }
        if is_plain(self.settings.get("url", "")):
            # TLS often ends at a proxy: the service cannot tell.
            hello["features"] = self.features + ["unencrypted"]
        if screen is not None:
            hello["screen"] = {"w": 320, "h": 240,
                               "formats": ["png", "jpeg"],
                               "max_bytes": PICTURE_BYTES_MAX}
        if self.leds is not None:
            hello["leds"] = {"count": LEDS}
        if self.speaker is not None:
            hello["audio"] = {"formats": ["pcm_s16le"],
                              "rates": list(RATES),
                              "buffer_bytes": BUFFER_BYTES,
                              "max_part_bytes": PART_BYTES_MAX}
            sound = self.speaker.playing
            if sound is not None:
                hello["playing"] = {"stream": sound.stream, "id": sound.id,
                                    "received": sound.received}
        return hello

    def _boot(self):
        """Why it started; a crash or an update is not what the chip says."""
        boot = {"cause": self.slots.cause or self.board.boot_cause()}
        if self.slots.error is not None:
            boot["error"] = self.slots.error
        return boot

    def asks(self):
        return self.screen is not None and bool(self.screen.id_of("question"))

    def welcomed(self, welcome):
        self.slots.proven()
        if self._pairing is not None:
            self._pairing.cancel()
            if self.face is not None:
                self.face.show_code()
        self.updater.offered(welcome.get("update"))
        self.clock.set_unix_ms(welcome["time_ms"])
        self.service_clock.note(
            int(welcome["time_ms"]) // 1000, self._is_secure())
        self.tell("session", bootId=self.boot_id, ms=self.clock.ms(),
                  welcome=welcome, dials=self.link.dials)
        self.inputs.ack(welcome["in_ack"])
        self.inputs.resend()
        if self.speaker is not None:
            self.speaker.report()
        self.sensors.start(welcome["sensors_ms"])
        self.updater.report()
        for text in self.missing:
            self.log("warn", text)
        self.missing = []
        if self.settings.get("restarted_why"):
            self.settings.save(restarted_why=None)

    def message(self, kind, message):
        if kind == "in_ack":
            self.inputs.ack(message["seq"])
        elif kind == "cmd":
            self._used_at = time.ticks_ms()
            if not self.commands.receive(message):
                self.media.refuse((message.get("args") or {}).get("stream"))

    def binary(self, frame):
        self.media.take(frame)

    def lost(self):
        self.sensors.stop()
        self.media.connection_lost()
        self.commands.connection_lost()

    def violation(self, what):
        self.tell("violation", what=what)

    def log(self, level, text):
        self.link.send(
            {"t": "log", "level": level, "text": text[:LOG_CHARS_MAX]})

    def _is_covered(self):
        return self.screen is not None and self.screen.covered

    def _hide(self, layers):
        if self.screen is not None:
            self.screen.hide(layers)

    def _loudness(self):
        return 0 if self.speaker is None else self.speaker.loudness()

    def _shown_readings(self):
        return self.sensors.readings()

    def _touched(self, kind, fields):
        if kind != "imu_burst":
            self._used_at = time.ticks_ms()
        if self.face is None:
            return
        # What the head's own movement shakes is felt by nobody.
        if kind != "imu_burst" or not self._turned_lately():
            self.face.touched(kind, fields)

    def _turned_lately(self):
        return self.head is not None and self.head.turned_within(BURST_MS)

    def _is_own_touch(self, kind, fields):
        return self.calibration is not None and self.calibration.touched(
            kind, fields)

    def hint_at(self, y):
        return self.face is not None and self.face.hint_at(y)

    def _is_dark(self):
        return self.light is not None and self.light.touched()

    def _sprite_at(self, x, y):
        if self._is_covered():
            return None
        return self.own.sprite_at(x, y)


def host_of(url):
    """Returns the name and port of an address."""
    return url.split("//")[-1].split("/")[0]
