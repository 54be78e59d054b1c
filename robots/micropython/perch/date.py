# SPDX-License-Identifier: Apache-2.0
"""Sets a clock that is obviously wrong, before certificates are checked.

A chip without a battery begins in 2000, where no certificate is valid yet.
The service's own Date is asked for, without a token and without a check of
its certificate; if it has none, a time server. Neither proves who it is: what
they say never goes behind the latest time that a checked connection told.
"""

import asyncio
import socket
import struct

from perch.http import close_stream, open_stream, parse_url, read_head

# 2026-01-01: a clock before this is wrong.
EARLIEST_S = 1767225600
SAVED_EVERY_S = 86400
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


async def set_clock(board, settings, log):
    """Sets the board's clock where it must be wrong; never raises."""
    known = max(EARLIEST_S, settings.get("seen_s", 0))
    if board.unix_s() >= known:
        return
    for ask, place in ((date_of, settings.get("url", "")),
                       (time_of, settings.get("time_server", SERVER))):
        try:
            now = await asyncio.wait_for_ms(ask(place), ASK_MS)
            board.set_unix_s(max(now, known))
            return
        except asyncio.TimeoutError:
            log("clock: no answer of %s" % place)
        except Exception as error:
            log("clock: %r" % error)


def note_time(board, settings, unix_s):
    """A time from a checked connection: the clock has it from now on."""
    if abs(board.unix_s() - unix_s) > 2:
        board.set_unix_s(unix_s)
    if unix_s - settings.get("seen_s", 0) > SAVED_EVERY_S:
        settings.save(seen_s=unix_s)
