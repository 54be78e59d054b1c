# SPDX-License-Identifier: Apache-2.0
"""Makes the robot fail as a test asks: it replaces methods of its parts."""

import asyncio

from perch.args import Nack

NAMES_KEPT = 64


class NeverClosed:
    def __init__(self):
        self.s = self

    def close(self):
        pass


class Faults:
    def __init__(self, robot):
        self._robot = robot
        self._settings = {}
        self._send = robot.link.send
        self._prepare = robot.commands.prepare
        self._receive = robot.commands.receive
        # Names by the ids of commands: an ack has the id alone.
        self._names = []
        self._left_open = []
        robot.link.send = self._faulty_send
        robot.commands.receive = self._noting_receive
        robot.commands._send = self._faulty_send
        robot.commands.prepare = self._faulty_prepare
        if robot.speaker is not None:
            robot.speaker._send = self._faulty_send

    def set(self, settings):
        self._settings = settings

    def redial(self):
        """Leaves the connection open and unread, and dials again at once."""
        link = self._robot.link
        if link.online:
            self._left_open.append(link._socket._stream)
            link._socket._stream = NeverClosed()
            link.drop()
            link.redial()

    def _noting_receive(self, message):
        self._names.append((message["id"], message["name"]))
        if len(self._names) > NAMES_KEPT:
            self._names.pop(0)
        return self._receive(message)

    def _faulty_prepare(self, name, args):
        nack = self._settings.get("nack")
        if nack and (not nack.get("names") or name in nack["names"]):
            self._robot.media.refuse(args.get("stream"))
            raise Nack(nack["code"], "injected fault: " + nack["code"])
        if self._settings.get("wrongCrc") and "crc32" in args:
            self._robot.media.refuse(args["stream"])
            raise Nack("hardware", "injected fault: the picture is corrupt")
        return self._prepare(name, args)

    def _faulty_send(self, message):
        kind = message["t"]
        if kind == "flow" and self._settings.get("noFlow"):
            return False
        if kind != "ack":
            return self._send(message)
        never = self._settings.get("neverAck", [])
        if never == "*" or dict(self._names).get(message["id"]) in never:
            return True
        late_ms = self._settings.get("ackLateMs", 0)
        if late_ms:
            asyncio.create_task(self._send_later(message, late_ms))
            return True
        if self._settings.get("ackTwice"):
            self._send(message)
        return self._send(message)

    async def _send_later(self, message, late_ms):
        await asyncio.sleep_ms(late_ms)
        self._send(message)
