# SPDX-License-Identifier: Apache-2.0
"""The robot's own commands, and the stickers on its face."""

from perch import args as check
from perch.actions import simply, with_picture
from perch.args import Nack, bad_args
from perch.media_size import size_of

STICKERS_MAX = 16
SIDE_MAX = 96


def _object(required, **properties):
    return {"type": "object", "properties": properties,
            "required": required, "additionalProperties": False}


def _integer(low, high):
    return {"type": "integer", "minimum": low, "maximum": high}


BOOL = {"type": "boolean"}
IMAGE = {"type": "string", "contentEncoding": "base64",
         "contentMediaType": "image/*", "x-max-w": 96, "x-max-h": 96}
DECLARED = [
    ("sticker", "A small picture on the face; a tap on it reports its id. "
     "Without image it moves, with remove it goes.",
     _object(["id"], id={"type": "string", "minLength": 1, "maxLength": 32},
             image=IMAGE, x=_integer(-SIDE_MAX, 320),
             y=_integer(-SIDE_MAX, 240), tappable=BOOL, remove=BOOL)),
    ("brightness", "Screen brightness",
     _object(["pct"], pct=_integer(0, 100))),
    ("screen", "The screen on or off", _object(["on"], on=BOOL)),
    ("power_led", "The red power LED on or off", _object(["on"], on=BOOL)),
    ("ir_send", "Sends an infrared remote code",
     _object(["address", "command"],
             protocol={"type": "string", "enum": ["nec"]},
             address=_integer(0, 65535), command=_integer(0, 255))),
]
# Of a robot with servos.
CALIBRATE = ("calibrate_head", "Asks the person at the robot to hold its head "
             "level and where it looks, and stores it. The answer says why "
             "the robot has no head, if it has none.", _object([]))
# Of a robot that checks certificates.
CLOCK = ("clock", "Tells the robot's time, and the seconds by which the "
         "chip's clock is set back, so that TLS sees the right one.",
         _object([]))


class Own:
    """`extras` does what a board can: stickers, led, ir."""

    def __init__(self, extras, light, tell, calibration=None, clock=None):
        self._calibration = calibration
        self._clock = clock
        self._extras = extras
        self._light = light
        self._tell = tell
        self.stickers = []

    def declared(self):
        more = [] if self._calibration is None else [CALIBRATE]
        more += [] if self._clock is None else [CLOCK]
        return [{"name": name, "description": text, "class": "program",
                 "args": args} for name, text, args in DECLARED + more]

    def prepare(self, robot, name, given):
        run = {"sticker": self._sticker, "brightness": self._brightness,
               "screen": self._screen, "power_led": self._power_led,
               "ir_send": self._ir_send}.get(name)
        if name == CALIBRATE[0] and self._calibration is not None:
            return simply(self._calibration.begin)
        if name == CLOCK[0] and self._clock is not None:
            return simply(lambda: {"unix_s": self._clock.unix_s(),
                                   "tls_shift_s": self._clock.shift_s})
        if run is None:
            raise Nack("unknown", name + " is not for programs")
        image = given.get("image")
        if name == "sticker" and image is not None:
            if not isinstance(image, dict):
                raise bad_args("image: a picture that follows in parts")
            return with_picture(robot, image, lambda p: run(given, p))
        return simply(lambda: run(given, None))

    def sprite_at(self, x, y):
        """Returns the id of the topmost sticker that can be tapped.

        It ends before x + w and y + h, as rectangles of a clickmap do.
        """
        hit = None
        for one in self.stickers:
            inside_x = one["x"] <= x < one["x"] + one["w"]
            inside_y = one["y"] <= y < one["y"] + one["h"]
            if one["tappable"] and inside_x and inside_y:
                hit = one["id"]
        return hit

    def _sticker(self, given, picture):
        name = check.text_arg(given, "id", 32)
        old = None
        for one in self.stickers:
            if one["id"] == name:
                old = one
        if given.get("remove") and check.bool_arg(given, "remove"):
            if old is not None:
                self.stickers.remove(old)
            self._told(None, None)
            return {"removed": old is not None}
        if old is None and len(self.stickers) >= STICKERS_MAX:
            raise bad_args("id: at most %d stickers" % STICKERS_MAX)
        new = {"id": name, "x": 0, "y": 0, "w": 64, "h": 64,
               "tappable": False}
        new.update(old or {})
        if given.get("x") is not None:
            new["x"] = check.number_arg(given, "x", -SIDE_MAX, 320)
        if given.get("y") is not None:
            new["y"] = check.number_arg(given, "y", -SIDE_MAX, 240)
        if given.get("tappable") is not None:
            new["tappable"] = check.bool_arg(given, "tappable")
        if picture is not None:
            new["w"], new["h"] = size_of(picture.data) or (64, 64)
        if old is not None:
            self.stickers.remove(old)
        self.stickers.append(new)
        self._told(name, picture)
        return {}

    def _told(self, name, picture):
        self._extras.stickers(self.stickers, name, picture)

    def _brightness(self, given, _picture):
        pct = check.integer_arg(given, "pct", 0, 100)
        self._lights().brightness(pct)
        self._tell("own", brightness=pct)

    def _screen(self, given, _picture):
        on = check.bool_arg(given, "on")
        self._lights().switch(on)
        self._tell("own", screenOn=on)

    def _lights(self):
        if self._light is None:
            raise Nack("hardware", "this robot has no screen")
        return self._light

    def _power_led(self, given, _picture):
        on = check.bool_arg(given, "on")
        self._extras.power_led(on)
        self._tell("own", powerLed=on)

    def _ir_send(self, given, _picture):
        address = check.integer_arg(given, "address", 0, 65535)
        command = check.integer_arg(given, "command", 0, 255)
        self._extras.ir_send(address, command)
        self._tell("own", irSent={"address": address, "command": command})
        return {"sent": True}
