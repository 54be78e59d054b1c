# SPDX-License-Identifier: Apache-2.0
"""The session with the service: hello, welcome, pings, reconnecting."""

import asyncio
import gc
import json
import time

from perch.backoff import Backoff, final_reason
from perch.http import explained
from perch.ws import BINARY, BUFFER_BYTES, Closed, Refused, WebSocket

SUBPROTOCOL = "perch-link.v1"
WELCOME_MS = 10000
SILENCE_MS = 45000
# A service of 0.10 refuses a token as a portal or proxy does, without a mark.
DOUBT_MS = 600000
# Memory in pieces too small for a connection: only a restart joins them.
STARVED_MS = 1800000


class Link:
    """`host` has before_dial, hello, welcomed, message, binary, lost, tell.

    And `doubted`, called while nothing but unmarked 401 has come for long,
    and `restart`, called after as long without memory for a connection.
    """

    def __init__(self, host, settings):
        self._host = host
        self._settings = settings
        self._backoff = Backoff(
            settings.get("reconnect_min_ms", 1000),
            settings.get("reconnect_max_ms", 60000),
        )
        self._socket = None
        self._buffer = bytearray(BUFFER_BYTES)
        self._online_at = None
        self._heard_at = 0
        self._ping_ms = 15000
        self._stopped = False
        self._redial = asyncio.Event()
        self.dials = 0
        self.reason = "start"
        # Why the last dial failed, if it did.
        self.trouble = ""
        self._told_to_pair = False
        # When the first of several answers with an unmarked 401 came.
        self._doubted_at = None
        self._starved_at = None

    @property
    def online(self):
        return self._online_at is not None

    def send(self, message):
        """Returns False without a session."""
        if not self.online:
            return False
        try:
            self._socket.send_text(json.dumps(message))
        except Closed:
            self.drop()
            return False
        return True

    def drop(self):
        """Ends the connection without a close frame, and dials again."""
        if self._socket is not None:
            self._socket.end()

    def redial(self):
        """Ends a wait before the next dial, and what it was in doubt of."""
        self._doubted_at = None
        self._redial.set()

    async def stop(self):
        self._stopped = True
        self._redial.set()
        # The service may answer the close, and `run` forget the socket, first.
        socket = self._socket
        if socket is not None:
            await socket.close(1000, "stopped")
            socket.end()

    async def run(self):
        """Returns why the robot does not dial again."""
        while True:
            self.dials += 1
            self._redial.clear()
            self._told_to_pair = False
            code, text, status = await self._dial()
            online_ms = 0
            if self._online_at is not None:
                online_ms = time.ticks_diff(time.ticks_ms(), self._online_at)
                self._online_at = None
                self._host.lost()
            self._socket = None
            final = final_reason(code, self._told_to_pair)
            if self._stopped:
                code, text, final = 1000, "stopped", "stopped"
            wait = None
            if final is None:
                wait = self._backoff.wait_ms(code, online_ms)
            self._host.tell("closed", code=code, reason=text, status=status,
                            final=final is not None, retryMs=wait)
            if final is not None:
                return final
            try:
                await asyncio.wait_for_ms(self._redial.wait(), wait)
            except asyncio.TimeoutError:
                pass
            if self._stopped:
                return "stopped"
            self.reason = "reconnect"

    async def _dial(self):
        """Returns (code, reason, HTTP status) of the end."""
        ping = None
        try:
            await self._host.before_dial()
            socket = await asyncio.wait_for_ms(WebSocket.open(
                self._settings.get("url"), self._settings.get("token"),
                SUBPROTOCOL, self._settings.get("ca"), self._buffer),
                WELCOME_MS)
            self._socket = socket
            self._doubted_at = None
            if self._stopped:
                return 1000, "stopped", None
            hello = self._host.hello(self.dials, self.reason)
            socket.send_text(json.dumps(hello))
            self._heard_at = time.ticks_ms()
            ping = asyncio.create_task(self._keep_alive(socket))
            while True:
                kind, payload = await socket.receive()
                self._heard_at = time.ticks_ms()
                if kind == BINARY:
                    self._host.binary(payload)
                else:
                    self._text(bytes(payload))
        except Refused as refused:
            self._refused(refused)
            return 1006, "refused", refused.status
        except Closed as closed:
            return closed.code, closed.reason, None
        except asyncio.TimeoutError:
            return 1006, "no answer", None
        except MemoryError:
            gc.collect()
            self.trouble = "no memory"
            await self._starved()
            return 1006, self.trouble, None
        except (OSError, ValueError) as error:
            self.trouble = explained(error)
            return 1006, self.trouble, None
        finally:
            if ping is not None:
                ping.cancel()
            if self._socket is not None:
                self._socket.end()

    def _refused(self, refused):
        """No answer at all neither ends nor begins a doubt."""
        self._told_to_pair = refused.status == 401 and refused.mark == "pair"
        if refused.status != 401:
            self._doubted_at = None
            return
        now = time.ticks_ms()
        if self._doubted_at is None:
            self._doubted_at = now
        if time.ticks_diff(now, self._doubted_at) >= self._settings.get(
                "doubt_ms", DOUBT_MS):
            self._host.doubted()

    async def _starved(self):
        now = time.ticks_ms()
        if self._starved_at is None:
            self._starved_at = now
        if time.ticks_diff(now, self._starved_at) >= STARVED_MS:
            await self._host.restart(
                "no memory for a connection for half an hour",
                keeps_inputs=False)

    def _text(self, text):
        try:
            message = json.loads(text)
            self._take(message["t"], message)
        except (ValueError, KeyError, TypeError):
            self._host.violation("a message that cannot be read")

    def _take(self, kind, message):
        if kind == "welcome":
            if not self.online:
                self._online_at = time.ticks_ms()
                self.trouble = ""
                self._starved_at = None
                self._ping_ms = max(1000, int(message["ping_ms"]))
                self._host.welcomed(message)
        elif kind == "ping":
            self.send({"t": "pong"})
        elif kind != "pong" and self.online:
            self._host.message(kind, message)

    async def _keep_alive(self, socket):
        """Pings, and ends a connection on which nothing arrives."""
        pinged_at = time.ticks_ms()
        while True:
            await asyncio.sleep_ms(500)
            now = time.ticks_ms()
            silent_ms = time.ticks_diff(now, self._heard_at)
            limit = SILENCE_MS if self.online else WELCOME_MS
            if silent_ms > limit:
                socket.end()
                return
            if self.online and time.ticks_diff(now, pinged_at) > self._ping_ms:
                pinged_at = now
                self.send({"t": "ping"})
