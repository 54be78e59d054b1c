# SPDX-License-Identifier: Apache-2.0
"""Downloads another version of the program into the slot that does not run.

The file is a line of JSON, {"files": [[path, size], ...]}, and the files one
after the other. It counts by its sha256, which is signed.
"""

import asyncio
import binascii
import gc
import hashlib
import json
import os

from perch.args import Nack, bad_args
from perch.http import (
    close_stream, http_base, open_stream, parse_url, read_head)
from perch.keys import KEYS
from perch.signed import Refused, require_signed

STEP_BYTES = 1024
SIZE_MAX = 1048576
HEAD_BYTES_MAX = 16384
READ_MS = 15000
# While the service is replaced, some of its instances have the file and some
# have not: each try may reach another one.
NOT_NOW = (404, 429, 502, 503, 504)
TRIES = 6
AGAIN_MS = 2000


class Failed(Exception):
    pass


class NotNow(Failed):
    pass


async def fetch(url, path, size, ca):
    """Writes what `url` answers to a file. Returns its sha256."""
    tls, host, port, place = parse_url(url)
    stream = await open_stream(tls, host, port, ca)
    digest, got = hashlib.sha256(), 0
    try:
        stream.write(("GET %s HTTP/1.0\r\nHost: %s:%d\r\n\r\n"
                      % (place, host, port)).encode())
        await stream.drain()
        status, _ = await read_head(stream)
        if status in NOT_NOW:
            raise NotNow("status %d, %d times: the service does not have the"
                         " file of this version now" % (status, TRIES))
        if status != 200:
            raise Failed("status %d" % status)
        with open(path, "wb") as file:
            while True:
                part = await asyncio.wait_for_ms(
                    stream.read(STEP_BYTES), READ_MS)
                if not part:
                    break
                got += len(part)
                if got > size:
                    raise Failed("more than the %d announced bytes" % size)
                digest.update(part)
                file.write(part)
    finally:
        close_stream(stream)
    if got != size:
        raise Failed("%d of %d bytes arrived" % (got, size))
    return binascii.hexlify(digest.digest()).decode()


async def fetch_patiently(again_ms, *what):
    for _ in range(TRIES - 1):
        try:
            return await fetch(*what)
        except NotNow:
            await asyncio.sleep_ms(again_ms)
        again_ms *= 2
    return await fetch(*what)


def read_line(file):
    """Takes as much memory as the line has, not as it may have at most."""
    line = b""
    while not line.endswith(b"\n") and len(line) < HEAD_BYTES_MAX:
        part = file.readline(256)
        if not part:
            break
        line += part
    return line


async def unpack(path, folder):
    with open(path, "rb") as file:
        made = [folder]
        for name, size in json.loads(read_line(file))["files"]:
            parts = name.split("/")
            if parts[0] != "perch" or ".." in parts or "" in parts:
                raise Failed("a file called %s" % name)
            for depth in range(1, len(parts)):
                inside = folder + "/" + "/".join(parts[:depth])
                if inside not in made:
                    os.mkdir(inside)
                    made.append(inside)
            with open(folder + "/" + name, "wb") as target:
                while size > 0:
                    part = file.read(min(size, STEP_BYTES))
                    if not part:
                        raise Failed("%s is cut off" % name)
                    target.write(part)
                    size -= len(part)
                    await asyncio.sleep_ms(0)


async def install(base, offer, folder, slots, ca, again_ms=AGAIN_MS):
    """Puts the offered version on trial for the next start.

    Raises Failed, Refused, OSError or ValueError: the slot that runs is as it
    was.
    """
    size = offer["size"]
    if not 0 < size <= SIZE_MAX:
        raise Failed("%d bytes" % size)
    url = offer["url"]
    if not url.startswith("/"):
        raise Failed("an address on another host")
    path = folder + "/update.part"
    try:
        digest = await fetch_patiently(
            again_ms, base + url, path, size, ca)
        if digest != offer["sha256"]:
            raise Refused("changed", "the file has another sha256")
        await unpack(path, slots.empty())
    finally:
        try:
            os.remove(path)
        except OSError:
            pass
    slots.begin_trial(offer["version"])


class Updater:
    """The offer of the service, and its installation when asked to."""

    QUESTION_MS = 1000

    def __init__(self, robot):
        self._robot = robot
        self._offer = None
        # To report: version, error and, of a refused one, the reason.
        self._failed = None

    def offered(self, offer):
        """`offer` has version, url (a path), sha256 and size, or is None.

        And lowest, highest, key and signature, where it is signed.
        """
        self._offer = offer

    def failed(self, version, error, refused=None):
        """Tells the service, at the next session if there is none."""
        self._failed = {
            "t": "update_failed", "version": version, "error": error}
        if refused is not None:
            self._failed["refused"] = refused
        self.report()

    def report(self):
        if self._failed and self._robot.link.send(self._failed):
            self._failed = None

    def start(self, version):
        """@raise Nack"""
        robot, offer = self._robot, self._offer
        if offer is None or offer.get("version") != version:
            raise bad_args("version: not offered")
        if robot.updating or robot.asks():
            raise Nack("busy", "a question waits, or an update runs")
        robot.updating = True
        asyncio.create_task(self._run(offer))

    async def _run(self, offer):
        robot, version = self._robot, offer["version"]
        robot.log("info", "update %s: begins" % version)
        try:
            await require_signed(offer, robot.version, KEYS)
            await install(
                http_base(robot.settings.get("url")), offer,
                robot.board.folder, robot.slots, robot.settings.get("ca"),
                robot.settings.get("update_again_ms", AGAIN_MS))
        except Exception as error:
            # Whatever it was: the program that runs goes on.
            robot.updating = False
            gc.collect()
            reason = str(error) or "no answer"
            robot.log("error", "update %s: %s; %s stays" % (
                version, reason, robot.firmware))
            self.failed(version, reason, getattr(error, "reason", None))
            return
        robot.log("info", "update %s: installed, restarts" % version)
        while robot.asks():
            await asyncio.sleep_ms(self.QUESTION_MS)
        if robot.head is not None:
            await robot.head.rest()
        await robot.stop()
        robot.board.restart()
