# SPDX-License-Identifier: Apache-2.0
"""`micropython power.py PROGRAM OFFER DATA FOLDER`: cuts the power.

It installs the update again and again, with a cut at one more change of the
flash each time, of which a write is half done. The next start must find the
whole program before or the whole new one, and the update must then work.
"""

import asyncio
import builtins
import json
import os
import sys

program, offer, data, folder = sys.argv[1:]
sys.path.insert(0, program)

import perch.slots  # noqa: E402
import perch.update  # noqa: E402
from perch.slots import Slots, remove  # noqa: E402

offer, data = json.loads(offer), data.encode()
changes, cut_at = 0, None


class PowerCut(BaseException):
    pass


def change():
    """Counts a change of the flash. Returns whether the power goes now."""
    global changes
    changes += 1
    if cut_at is not None and changes > cut_at:
        raise PowerCut()
    return changes == cut_at


class Os:
    """Renaming, making and removing happen as a whole, or not at all."""

    listdir, stat = os.listdir, os.stat

    def __getattr__(self, name):
        def call(*args):
            if change():
                raise PowerCut()
            return getattr(os, name)(*args)
        return call


class File:
    def __init__(self, path, mode="r"):
        if "w" in mode and change():
            raise PowerCut()
        self._file = builtins.open(path, mode)

    def __enter__(self):
        return self

    def __exit__(self, *_error):
        self._file.close()

    def write(self, text):
        is_last = change()
        self._file.write(text[:len(text) // 2] if is_last else text)
        if is_last:
            raise PowerCut()

    def read(self, *size):
        return self._file.read(*size)

    def readline(self, size):
        return self._file.readline(size)


class Json:
    """A stream in Python is not one for the module json."""

    @staticmethod
    def load(file):
        return json.loads(file.read())

    @staticmethod
    def dump(value, file):
        file.write(json.dumps(value))


class Server:
    def __init__(self):
        self._rest = b"HTTP/1.0 200 OK\r\n\r\n" + data
        self.s = self

    def write(self, _request):
        pass

    def close(self):
        pass

    async def drain(self):
        pass

    async def readline(self):
        end = self._rest.find(b"\n") + 1
        line, self._rest = self._rest[:end], self._rest[end:]
        return line

    async def read(self, size):
        part, self._rest = self._rest[:size], self._rest[size:]
        return part


async def opened(*_where):
    return Server()


async def turn(_ms):
    pass


async def soon(awaited, _ms):
    return await awaited


def wait(task):
    try:
        task.send(None)
    except StopIteration as end:
        return end.value
    raise ValueError("it waits for something else than a turn")


asyncio.sleep_ms, asyncio.wait_for_ms = turn, soon
perch.update.open_stream = opened
perch.update.open = perch.slots.open = File
perch.update.os = perch.slots.os = Os()
perch.slots.json = Json


def whole(slot):
    """Whether the slot has all files of the update, byte for byte."""
    end = data.find(b"\n") + 1
    for name, size in json.loads(data[:end])["files"]:
        try:
            with builtins.open("%s/slots/%s/%s" % (folder, slot, name),
                               "rb") as file:
                if file.read() != data[end:end + size]:
                    return False
        except OSError:
            return False
        end += size
    return True


def start():
    """As main.py does. Returns the slot that a start chooses."""
    text = builtins.open(program + "/main.py").read()
    names = {"__name__": "main"}
    exec(text[:text.rindex("\nmain()")], names)
    return names["choose"](folder + "/boot.json")


def install():
    wait(perch.update.install(
        "http://192.0.2.1:1", offer, folder, Slots(folder), None))


def run():
    """Returns after how many changes the update was installed."""
    global changes, cut_at
    before = after = 0
    cut_at = 0
    while True:
        for name in os.listdir(folder):
            remove_all(folder + "/" + name)
        changes, cut_at = 0, cut_at + 1
        try:
            install()
            return cut_at, before, after
        except PowerCut:
            pass
        slot = start()
        if slot is None:
            before += 1
        elif slot == "a" and whole("a"):
            after += 1
        else:
            raise ValueError("cut %d: starts %r" % (cut_at, slot))
        changes, cut, cut_at = 0, cut_at, None
        install()
        if not whole(start()):
            raise ValueError("cut %d: cannot be updated" % cut)
        cut_at = cut


def remove_all(path):
    perch.slots.os = os
    remove(path)
    perch.slots.os = Os()


print(json.dumps(run()))
