# SPDX-License-Identifier: Apache-2.0
"""Keeps the chip's clock right, by which certificates are checked."""

import asyncio
import socket
import struct

from perch.http import (
    EARLY, EXPIRED, close_stream, open_stream, parse_url, read_head)

# 2026-01-01: a clock before this is wrong.
EARLIEST_S = 1767225600
SAVED_EVERY_S = AGREES_S = 86400
# m5stack/uiflow-micropython, m5stack/main.c (5afa2b5d): TLS gets the chip's
# clock, which counts from 1970, plus the seconds from 1970 to 2000.
SHIFT_S = 946684800
HOLD_MS = 1000
MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec"
ASK_MS, STEP_MS = 5000, 50
SINCE_1900_S = 2208988800
SERVER = "pool.ntp.org"


def unix_s_of(year, month, day, hour, minute, second):
    """Counts from 1970, whatever year the interpreter counts from."""
    # The year begins in March, so that a leap day is its last.
    year -= month < 3
    of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    days = 365 * year + year // 4 - year // 100 + year // 400 + of_year
    return ((days - 719468) * 24 + hour) * 3600 + 60 * minute + second


def date_s(text):
    """Returns the time of a header such as "Fri, 27 Nov 2026 08:40:36 GMT"."""
    _, day, month, year, clock, _ = text.split()
    hour, minute, second = clock.split(":")
    at = MONTHS.index(month)
    if at % 3:
        raise ValueError(text)
    return unix_s_of(int(year), at // 3 + 1, int(day), int(hour),
                     int(minute), int(second))


async def date_of(url):
    tls, host, port, _ = parse_url(url)
    stream = await open_stream(tls, host, port, None, False)
    try:
        stream.write(("HEAD / HTTP/1.0\r\nHost: %s:%d\r\n\r\n"
                      % (host, port)).encode())
        await stream.drain()
        _, headers = await read_head(stream)
        return date_s(headers["date"])
    finally:
        close_stream(stream)


async def time_of(server):
    """Asks a time server (SNTP); `server` may end in a port."""
    host, _, port = server.partition(":")
    address = socket.getaddrinfo(host, int(port or 123))[0][-1]
    asking = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try:
        asking.setblocking(False)
        asking.sendto(b"\x1b" + bytes(47), address)
        for _ in range(ASK_MS // STEP_MS):
            await asyncio.sleep_ms(STEP_MS)
            try:
                answer = asking.recv(48)
            except OSError:
                continue
            if len(answer) == 48:
                return struct.unpack(">I", answer[40:44])[0] - SINCE_1900_S
        raise OSError("no answer of " + server)
    finally:
        asking.close()


class ServiceClock:
    """The time of the program, and the clock of the chip for TLS.

    A clock before 2026 is set: a chip without a battery begins in 2000, where
    no certificate is valid yet. The service's own Date is asked for, without
    a token and without a check of its certificate; if it has none, a time
    server. Neither proves who it is: what they say never goes behind the
    latest time that a checked connection told.

    UIFlow2 adds SHIFT_S to the time that TLS sees, so that each certificate
    that ends before 2056 has "expired". Where the Date agrees with the clock
    and the certificate is called expired all the same, the chip's clock goes
    back by SHIFT_S, and `unix_s` adds that again. It stays so for later
    starts once a certificate was valid with it.
    """

    def __init__(self, board, settings, log):
        self._board = board
        self._settings = settings
        self._log = log
        self.shift_s = SHIFT_S if settings.get("tls_shift_s") else 0
        self._refuted = False

    def unix_s(self):
        """The firmware sets the chip's clock by itself as well: no shift."""
        chip_s = self._board.unix_s()
        return chip_s if chip_s >= EARLIEST_S else chip_s + self.shift_s

    def _set(self, unix_s):
        self._board.set_unix_s(unix_s - self.shift_s)

    def hold(self):
        """Sets the chip's clock back where something has set it right."""
        if self.shift_s and self._board.unix_s() >= EARLIEST_S:
            self._set(self._board.unix_s())

    async def run(self):
        while True:
            await asyncio.sleep_ms(HOLD_MS)
            self.hold()

    async def prepare(self, trouble):
        """Before each connection over TLS; `trouble` of the last one."""
        if trouble == EARLY and self.shift_s:
            self._refuted = True
            self._set_shift(0, "the clock of TLS is not shifted")
        elif trouble == EXPIRED:
            await self._look_for_shift()
        await self._set_wrong()
        self.hold()

    async def _look_for_shift(self):
        date = await self._ask(date_of, self._settings.get("url", ""))
        if date is None:
            return
        agrees = abs(self.unix_s() - date) < AGREES_S
        if not agrees and self.shift_s:
            # The chip has lost its time.
            self._set_shift(0, "the clock is set anew")
        elif agrees and not self.shift_s and not self._refuted:
            self._set_shift(SHIFT_S, "a certificate has expired by a clock"
                            " that is right: TLS may add 30 years to it, and"
                            " gets it without them")

    def _set_shift(self, shift_s, why):
        self.shift_s = shift_s
        self._log("clock: " + why)

    async def _set_wrong(self):
        known = max(EARLIEST_S, self._settings.get("seen_s", 0))
        if self.unix_s() >= known:
            return
        for ask, place in ((date_of, self._settings.get("url", "")),
                           (time_of, self._settings.get(
                               "time_server", SERVER))):
            now = await self._ask(ask, place)
            if now is not None:
                self._set(max(now, known))
                return

    async def _ask(self, ask, place):
        """Returns None where there is no answer; never raises."""
        try:
            return await asyncio.wait_for_ms(ask(place), ASK_MS)
        except asyncio.TimeoutError:
            self._log("clock: no answer of %s" % place)
        except Exception as error:
            self._log("clock: %r" % error)

    def note(self, unix_s, is_checked):
        """The service's time; `is_checked`: a certificate proved whose."""
        if abs(self.unix_s() - unix_s) > 2:
            self._set(unix_s)
        if not is_checked:
            return
        if unix_s - self._settings.get("seen_s", 0) > SAVED_EVERY_S:
            self._settings.save(seen_s=unix_s)
        if self.shift_s != self._settings.get("tls_shift_s", 0):
            self._settings.save(tls_shift_s=self.shift_s)
