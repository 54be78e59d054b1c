# SPDX-License-Identifier: Apache-2.0
"""Binary frames: pictures with a checksum, and parts of sounds."""

import asyncio
import binascii
import gc
import struct

from perch.args import Nack, bad_args, choice_arg, integer_arg

PICTURE, AUDIO = 1, 2
FIRST, LAST = 1, 2
HEAD_BYTES = 8
# For a card, a question and what replaces one of them.
BUFFERS = 3
SHARED_MIN = 16384
# Parts of an ended stream may still arrive, which is no error.
ENDED_KEPT = 64


class Abandoned(Exception):
    """The connection of a picture has ended: its command gets no ack."""


class Picture:
    """A picture that arrives in parts; `whole` is set at its end."""

    kind = PICTURE

    def __init__(self, stream, form, size, crc32, buffers):
        self.stream = stream
        self.format = form
        self.bytes = size
        self.crc32 = crc32
        self.received = 0
        self._buffers = buffers
        self._buffer = buffers.take(size)
        self.data = memoryview(self._buffer)[:size]
        self.error = None
        self.whole = asyncio.Event()
        self._crc32 = 0

    def take(self, payload):
        end = self.received + len(payload)
        self.data[self.received:end] = payload
        self._crc32 = binascii.crc32(payload, self._crc32)
        self.received = end
        if end < self.bytes:
            return
        if self._crc32 & 0xFFFFFFFF != self.crc32:
            raise bad_args("crc32: the parts have another")
        self.whole.set()

    def fail(self, error):
        self.error = error
        self.release()
        self.whole.set()

    def release(self):
        """Gives its memory to the next picture; it is not shown again."""
        self.data = b""
        buffer, self._buffer = self._buffer, None
        if buffer is not None:
            self._buffers.put(buffer)


class Buffers:
    """Large buffers from the start: later the memory is in small pieces.

    One that is never put back becomes garbage, and its place is free.
    """

    def __init__(self, size):
        self._size = size
        self._free = [bytearray(size) for _ in range(BUFFERS)]

    def take(self, size):
        if size >= SHARED_MIN and self._free:
            return self._free.pop()
        try:
            return _buffer(size)
        except Nack:
            # Enough may be free, but in pieces.
            if size <= self._size and self._free:
                return self._free.pop()
            raise

    def put(self, buffer):
        if len(buffer) == self._size and len(self._free) < BUFFERS:
            self._free.append(buffer)


def _buffer(size):
    try:
        return bytearray(size)
    except MemoryError:
        gc.collect()
    try:
        return bytearray(size)
    except MemoryError:
        raise Nack("hardware", "no memory for %d bytes" % size)


class Media:
    """Leads each part to the picture or sound that expects it."""

    def __init__(self, formats, bytes_max, violation):
        self._formats = formats
        self._bytes_max = bytes_max
        self._buffers = Buffers(bytes_max)
        self._violation = violation
        self._open = {}
        self._ended = []

    def expect(self, sink):
        if sink.stream in self._open:
            raise bad_args("stream: %d is in use" % sink.stream)
        if sink.stream in self._ended:
            self._ended.remove(sink.stream)
        self._open[sink.stream] = sink

    def expect_picture(self, announced):
        picture = Picture(
            integer_arg(announced, "stream", 0, 0xFFFF),
            choice_arg(announced, "format", self._formats),
            integer_arg(announced, "bytes", 1, self._bytes_max),
            integer_arg(announced, "crc32", 0, 0xFFFFFFFF),
            self._buffers,
        )
        self.expect(picture)
        return picture

    def end(self, stream):
        self._open.pop(stream, None)
        if stream in self._ended:
            self._ended.remove(stream)
        self._ended.append(stream)
        if len(self._ended) > ENDED_KEPT:
            self._ended.pop(0)

    def refuse(self, stream):
        """Expects parts that belong to no accepted command."""
        if isinstance(stream, int) and stream not in self._open:
            self.end(stream)

    def connection_lost(self):
        """A new connection sends the rest of a sound, not of a picture."""
        self._ended = []
        for stream, sink in list(self._open.items()):
            if sink.kind == PICTURE:
                self._open.pop(stream)
                sink.fail(Abandoned())

    def take(self, frame):
        if len(frame) < HEAD_BYTES:
            self._violation("a binary frame shorter than its head")
            return
        kind, flags, stream, offset = struct.unpack_from(">BBHI", frame)
        payload = frame[HEAD_BYTES:]
        sink = self._open.get(stream)
        if sink is None:
            if stream not in self._ended:
                self._violation("a part of unknown stream %d" % stream)
            return
        unknown_size = sink.bytes is None
        if unknown_size and flags & LAST:
            sink.bytes = sink.received + len(payload)
        problem = _problem(sink, kind, flags, offset, payload, unknown_size)
        if problem is None:
            try:
                sink.take(payload)
            except Nack as nack:
                problem = nack.message
        if problem is not None:
            self._violation("stream %d: %s" % (stream, problem))
            self.end(stream)
            sink.fail(bad_args(problem))
        elif sink.received == sink.bytes:
            self.end(stream)


def _problem(sink, kind, flags, offset, payload, unknown_size):
    after = sink.received + len(payload)
    if kind != sink.kind:
        return "a part of kind %d" % kind
    if offset != sink.received:
        return "a part at %d, %d is next" % (offset, sink.received)
    if not payload and not (unknown_size and flags & LAST and offset):
        return "an empty part"
    if sink.bytes is not None and after > sink.bytes:
        return "more than the %d announced bytes" % sink.bytes
    if bool(flags & FIRST) != (offset == 0):
        return "the flag first is wrong at %d" % offset
    if bool(flags & LAST) != (after == sink.bytes):
        return "the flag last is wrong at %d" % after
    return None
