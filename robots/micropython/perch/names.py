# SPDX-License-Identifier: Apache-2.0
"""Finds the address of a name in .local, which changes with the network.

The firmware may know such names or not, and waits while it asks. Whoever
answers wrongly gains nothing: over TLS it has to prove the name.
"""

import asyncio
import os
import socket
import struct

# RFC 6762: a query from another port than 5353 is answered to that port.
MULTICAST = "224.0.0.251:5353"
ASKS, STEP_MS, STEPS = 3, 50, 10
TYPE_A = CLASS_IN = 1
ANSWER_BYTES_MAX = 1500


class Names:
    """`server` is where queries go; tests have one of their own."""

    def __init__(self):
        self.server = MULTICAST
        self._known = {}

    async def address_of(self, host):
        """Returns what to connect to: an address, or `host` itself."""
        try:
            found = await self._ask(host)
        except OSError:
            # Without a network, for example.
            found = None
        if found is not None:
            self._known[host] = found
        # A query may get lost; the firmware may know the name, too.
        return self._known.get(host, host)

    async def _ask(self, host):
        place, _, port = self.server.partition(":")
        number = os.urandom(2)
        query = (number + struct.pack(">5H", 0, 1, 0, 0, 0) + _labels(host)
                 + struct.pack(">2H", TYPE_A, CLASS_IN))
        to = socket.getaddrinfo(place, int(port))[0][-1]
        asking = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            asking.setblocking(False)
            for _ in range(ASKS):
                asking.sendto(query, to)
                for _ in range(STEPS):
                    await asyncio.sleep_ms(STEP_MS)
                    try:
                        answer = asking.recv(ANSWER_BYTES_MAX)
                    except OSError:
                        continue
                    found = _address_in(answer, number, host)
                    if found is not None:
                        return found
        finally:
            asking.close()
        return None


NAMES = Names()


def _labels(host):
    parts = [bytes([len(part)]) + part.encode() for part in host.split(".")]
    return b"".join(parts) + b"\0"


def _address_in(answer, number, host):
    """Returns the address, or None where it is not that answer."""
    try:
        if answer[:2] != number or not answer[2] & 0x80:
            return None
        _, questions, answers = struct.unpack_from(">3H", answer, 2)
        at = 12
        for _ in range(questions):
            _, at = _name_at(answer, at)
            at += 4
        for _ in range(answers):
            name, at = _name_at(answer, at)
            kind, family = struct.unpack_from(">2H", answer, at)
            size = struct.unpack_from(">H", answer, at + 8)[0]
            at += 10
            if (name == host.lower() and kind == TYPE_A and size == 4
                    and family & 0x7FFF == CLASS_IN):
                return ".".join(str(part) for part in answer[at:at + 4])
            at += size
    except (IndexError, ValueError):
        pass
    return None


def _name_at(answer, at):
    """Returns (name, where what follows begins); names may be shortened."""
    labels, after = [], None
    while answer[at]:
        size = answer[at]
        if size >= 0xC0:
            begin = (size & 0x3F) << 8 | answer[at + 1]
            after = after or at + 2
            if begin >= at:
                raise ValueError("a name that leads forward")
            at = begin
            continue
        labels.append(answer[at + 1:at + 1 + size].decode())
        at += 1 + size
    return ".".join(labels).lower(), after or at + 1
