# SPDX-License-Identifier: Apache-2.0
"""A robot for Perch, written from docs/robot-link.md: its screen is a folder.

    PERCH_ROBOT_TOKEN=... python3 robot.py ws://HOST/robot/v1/link FOLDER

FOLDER gets card.png and question.png; a line "X Y" typed here is a touch.
"""
import json
import os
import random
import secrets
import struct
import sys
import threading
import time
import zlib

from websocket import BINARY, TEXT, Ended, WebSocket

SCREEN = {"w": 320, "h": 240, "formats": ["png"], "max_bytes": 98304}
EMOTIONS = ("neutral", "happy", "angry", "sad", "doubt", "sleepy")


class Refused(Exception):
    """Its arguments are a code of the document, and a sentence."""


class Robot:
    def __init__(self, folder):
        self.folder, self.boot_id, self.dial = folder, secrets.token_hex(4), 0
        self.started = time.monotonic()
        self.layers, self.question_ends = {"card": None, "question": None}, 0
        self.emotion = "neutral"
        self.acks = []     # the last 32
        self.inputs = []   # those without an in_ack
        self.seq = 0
        self.typed = []    # touches

    def ms(self):
        return int((time.monotonic() - self.started) * 1000)

    def send(self, **message):
        self.socket.send(json.dumps(message).encode())

    def session(self, url, token):
        """Dials, and lasts as long as the connection. Always raises."""
        self.dial += 1
        self.socket = WebSocket(url, "perch-link.v1", token)
        self.welcome, self.waiting, self.pictures = None, [], {}
        self.send(t="hello", v=[1], model="folder", firmware="1.0",
                  boot_id=self.boot_id, dial=self.dial,
                  reason="start" if self.dial == 1 else "reconnect",
                  features=["screen", "touch", "face", "bubble"],
                  screen=SCREEN,
                  showing=dict(self.layers, emotion=self.emotion))
        heard = self.ms()
        while self.ms() - heard < 45000:
            for opcode, payload in self.socket.frames(wait_s=0.05):
                heard = self.ms()
                if opcode == BINARY:
                    self.on_part(payload)
                elif opcode == TEXT:
                    message = json.loads(payload)
                    # What the robot does not know, it ignores.
                    on = getattr(self, "on_" + message["t"], lambda _: None)
                    on(message)
            if self.welcome is not None:
                self.run_commands()
                self.do_what_is_due()
        raise Ended(1006)

    def on_welcome(self, message):
        self.welcome, self.pinged = message, self.ms()
        self.on_in_ack({"seq": message["in_ack"]})
        for each in self.inputs:
            self.send(**each)

    def on_ping(self, _):
        self.send(t="pong")

    def on_in_ack(self, message):
        self.inputs = [i for i in self.inputs if i["seq"] > message["seq"]]

    def on_cmd(self, command):
        done = [ack for ack in self.acks if ack["id"] == command["id"]]
        if done:
            self.send(**done[0])
        elif all(each["id"] != command["id"] for each in self.waiting):
            # The parts of a picture come now, whenever its turn is.
            self.pictures[command["args"].get("stream")] = bytearray()
            self.waiting.append(dict(command, came=self.ms()))

    def on_part(self, frame):
        _kind, _flags, stream, offset = struct.unpack("!BBHI", frame[:8])
        picture = self.pictures.get(stream)
        if picture is not None and offset == len(picture):
            picture += frame[8:]

    def run_commands(self):
        """One after the other: a picture that is not there yet stops all."""
        while self.waiting:
            command, now = self.waiting[0], self.ms()
            answer, begun = None, command.setdefault("begun", now)
            if begun - command["came"] <= command["ttl_ms"]:
                try:
                    result = self.run(command["name"], command["args"])
                    if result is None and now - begun < 10000:
                        return
                    if result is None:
                        raise Refused("hardware", "the picture did not come")
                    answer = {"ok": True, "result": result}
                except Refused as no:
                    code, error = no.args
                    answer = {"ok": False, "code": code, "error": error}
                except (KeyError, OSError, TypeError) as error:
                    answer = {"ok": False, "code": "hardware",
                              "error": repr(error)}
            self.waiting.pop(0)
            self.pictures.pop(command["args"].get("stream"), None)
            if answer is not None:
                ack = dict(answer, t="ack", id=command["id"], ms=self.ms())
                self.acks = self.acks[-31:] + [ack]
                self.send(**ack)

    def run(self, name, args):
        """Returns the result, or None while a picture is on its way."""
        if name == "screen.show":
            return self.show(**args)
        if name == "screen.clear":
            shown = self.layers[args["layer"]]
            if shown is not None and args.get("id", shown) == shown:
                self.clear(args["layer"])
        elif name == "face":
            if args.get("emotion", self.emotion) not in EMOTIONS:
                raise Refused("bad_args", "emotion: " + ", ".join(EMOTIONS))
            self.emotion = args.get("emotion", self.emotion)
            print("looks", self.emotion, flush=True)
        elif name == "bubble":
            if any(self.layers.values()):
                raise Refused("card_showing", "a picture covers the face")
            print("says", args["text"], flush=True)
        else:
            raise Refused("unknown", f"no command {name}")
        return {}

    def show(self, layer, id, stream, format, bytes, crc32, show_ms=None,
             **_):
        if layer == "question" and show_ms is None:
            raise Refused("bad_args", "show_ms: a question needs it")
        if format != "png" or bytes > SCREEN["max_bytes"]:
            raise Refused("bad_args", "PNG, at most 98,304 bytes")
        picture = self.pictures[stream]
        if len(picture) < bytes:
            return None
        if zlib.crc32(picture) != crc32:
            raise Refused("bad_args", "crc32: other bytes arrived")
        with open(os.path.join(self.folder, layer + ".png"), "wb") as file:
            file.write(picture)
        self.layers[layer] = id
        if layer == "question":
            self.question_ends = self.ms() + show_ms
        print("shows", layer, flush=True)
        return {}

    def clear(self, layer):
        os.remove(os.path.join(self.folder, layer + ".png"))
        self.layers[layer] = None

    def do_what_is_due(self):
        if self.layers["question"] and self.ms() > self.question_ends:
            self.clear("question")
        if self.ms() - self.pinged >= self.welcome["ping_ms"]:
            self.pinged = self.ms()
            self.send(t="ping")
        while self.typed:
            x, y = map(int, self.typed.pop(0).split())
            self.put_in(kind="touch_down", x=x, y=y, ms=self.ms() - 90)
            self.put_in(kind="touch_up", x=x, y=y, ms=self.ms(), held_ms=90)

    def put_in(self, **fields):
        self.seq += 1
        self.inputs.append(dict(fields, t="in", seq=self.seq))
        self.send(**self.inputs[-1])


def main(url, folder):
    robot, attempt = Robot(folder), 0
    token = os.environ["PERCH_ROBOT_TOKEN"]
    threading.Thread(
        target=lambda: robot.typed.extend(sys.stdin), daemon=True).start()
    while True:
        dialled = time.monotonic()
        try:
            robot.session(url, token)
        except Ended as ended:
            code = ended.code
            if ended.pair or code in (4003, 4010):
                return f"ended with {code}: another token or program is needed"
        except OSError as error:
            code = str(error)
        attempt = 0 if time.monotonic() - dialled > 60 else attempt
        wait_s = min(60, 2 ** attempt) * random.uniform(0.7, 1.3)
        if code == 4009:
            wait_s = random.random() / 2
        elif code == 4001:
            wait_s = 60
        else:
            attempt += 1
        print(f"ended with {code}, dials in {wait_s:.1f} s", flush=True)
        time.sleep(wait_s)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
