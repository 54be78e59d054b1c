# SPDX-License-Identifier: Apache-2.0
"""A WebSocket client: handshake, masking, fragments, ping and close."""

import asyncio
import binascii
import hashlib
import os

from perch.http import close_stream, open_stream, parse_url, read_head

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10
GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
MESSAGE_BYTES_MAX = 16384
BUFFER_BYTES = MESSAGE_BYTES_MAX + 64
QUEUED_MAX = 128
CLOSE_MS = 2000
CLOSE_REPLY_MS = 200
FLUSH_STEP_MS = 10


class Refused(Exception):
    """The server answered the handshake with another status than 101."""

    def __init__(self, status, mark):
        super().__init__("status %d" % status)
        self.status = status
        # Perch's own refusal says what the robot has to do.
        self.mark = mark


class Closed(Exception):
    """The connection has ended; 1006 is without a close frame."""

    def __init__(self, code, reason=""):
        super().__init__("%d %s" % (code, reason))
        self.code = code
        self.reason = reason


class WebSocket:
    def __init__(self, stream, buffer):
        self._stream = stream
        self._buffer = buffer
        self._view = memoryview(buffer)
        self._from = 0
        self._to = 0
        self._parts = b""
        self._parts_opcode = 0
        self._queue = []
        self._queued = asyncio.Event()
        self._writer = asyncio.create_task(self._write())
        self._ended = False
        self._reader = None

    @staticmethod
    async def open(url, token, subprotocol, ca, buffer):
        """`buffer` of BUFFER_BYTES serves one connection after another.

        After hours no piece of the heap may be as large.
        """
        tls, host, port, path = parse_url(url)
        stream = await open_stream(tls, host, port, ca)
        try:
            await _shake_hands(stream, host, port, path, token, subprotocol)
        except BaseException:
            close_stream(stream)
            raise
        return WebSocket(stream, buffer)

    async def receive(self):
        """Returns (TEXT or BINARY, bytes until the next call)."""
        self._reader = asyncio.current_task()
        while True:
            opcode, last, payload = await self._frame()
            if opcode == PING:
                self._send(PONG, bytes(payload))
            elif opcode == CLOSE:
                code, reason = 1005, ""
                if len(payload) >= 2:
                    code = payload[0] << 8 | payload[1]
                    reason = bytes(payload[2:]).decode()
                self._send(CLOSE, bytes(payload[:2]))
                await self._flush(CLOSE_REPLY_MS)
                raise Closed(code, reason)
            elif opcode in (TEXT, BINARY) and last:
                return opcode, payload
            elif opcode in (TEXT, BINARY, 0):
                if opcode:
                    self._parts_opcode, self._parts = opcode, b""
                self._parts += bytes(payload)
                if len(self._parts) > MESSAGE_BYTES_MAX:
                    raise Closed(1009, "a message of more than 16 KB")
                if last:
                    whole, self._parts = self._parts, b""
                    return self._parts_opcode, memoryview(whole)

    def send_text(self, text):
        self._send(TEXT, text.encode())

    async def close(self, code, reason):
        """Sends a close frame; resolves when it was written, or after 2 s."""
        self._send(CLOSE, bytes([code >> 8, code & 255]) + reason.encode())
        await self._flush(CLOSE_MS)

    async def _flush(self, ms):
        """Resolves when everything was written, or after `ms`."""
        while self._queue and not self._ended and ms > 0:
            await asyncio.sleep_ms(FLUSH_STEP_MS)
            ms -= FLUSH_STEP_MS

    def end(self):
        """Ends the connection at once."""
        if self._ended:
            return
        self._ended = True
        self._queue = []
        self._writer.cancel()
        # Closing a socket does not wake the task that waits for it.
        if self._reader not in (None, asyncio.current_task()):
            self._reader.cancel()
        close_stream(self._stream)

    def _send(self, opcode, payload):
        if self._ended:
            return
        if len(self._queue) >= QUEUED_MAX:
            raise Closed(1006, "the service reads too slowly")
        self._queue.append(_masked(opcode, payload))
        self._queued.set()

    async def _write(self):
        try:
            while True:
                await self._queued.wait()
                self._queued.clear()
                while self._queue:
                    self._stream.write(self._queue[0])
                    await self._stream.drain()
                    if self._queue:
                        self._queue.pop(0)
        except OSError:
            # The reader notices the end as well.
            self._queue = []

    async def _frame(self):
        await self._need(2)
        first, second = self._view[self._from], self._view[self._from + 1]
        size = second & 127
        head = 2
        if size == 126:
            await self._need(4)
            at = self._from + 2
            size = self._view[at] << 8 | self._view[at + 1]
            head = 4
        if size == 127 or size > MESSAGE_BYTES_MAX + 8:
            raise Closed(1009, "a frame of more than 16 KB")
        if second & 128:
            raise Closed(1002, "a masked frame of the service")
        await self._need(head + size)
        begin = self._from + head
        self._from = begin + size
        return first & 15, bool(first & 128), self._view[begin:self._from]

    async def _need(self, count):
        if self._from == self._to:
            self._from = self._to = 0
        if self._from + count > len(self._buffer):
            rest = bytes(self._view[self._from:self._to])
            self._view[:len(rest)] = rest
            self._from, self._to = 0, len(rest)
        while self._to - self._from < count:
            if self._ended:
                raise Closed(1006)
            try:
                got = await self._stream.readinto(self._view[self._to:])
            except OSError as error:
                raise Closed(1006, str(error))
            except asyncio.CancelledError:
                if not self._ended:
                    raise
                raise Closed(1006)
            if got == 0:
                raise Closed(1006)
            self._to += got or 0


async def _shake_hands(stream, host, port, path, token, subprotocol):
    key = binascii.b2a_base64(os.urandom(16)).strip()
    lines = [
        "GET %s HTTP/1.1" % path,
        "Host: %s:%d" % (host, port),
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: " + key.decode(),
        "Sec-WebSocket-Protocol: " + subprotocol,
        "Authorization: Bearer " + token,
    ]
    stream.write("\r\n".join(lines + ["", ""]).encode())
    await stream.drain()
    status, headers = await read_head(stream)
    if status != 101:
        raise Refused(status, headers.get("perch-link"))
    digest = hashlib.sha1(key + GUID).digest()
    expected = binascii.b2a_base64(digest).strip().decode()
    if headers.get("sec-websocket-accept") != expected:
        raise OSError("the handshake was answered by another server")


def _masked(opcode, payload):
    size = len(payload)
    mask = os.urandom(4)
    if size < 126:
        head = bytes([128 | opcode, 128 | size])
    else:
        head = bytes([128 | opcode, 128 | 126, size >> 8, size & 255])
    # One operation on a long integer instead of one for each byte.
    long_mask = (mask * (size // 4 + 1))[:size]
    value = int.from_bytes(payload, "little")
    value ^= int.from_bytes(long_mask, "little")
    return head + mask + value.to_bytes(size, "little")
