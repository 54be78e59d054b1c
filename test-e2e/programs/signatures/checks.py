# SPDX-License-Identifier: Apache-2.0
"""`micropython checks.py PROGRAM CASES`, or with CPython: perch/ed25519.py.

CASES are JSON: `sha512` has the digests of n bytes n, from 0 on, `verify`
numbers, keys, messages, signatures and what is expected. Prints what differs,
and how often the longest verification lets others run.
"""

import asyncio
import json
import sys
from binascii import hexlify, unhexlify

sys.path.insert(0, sys.argv[1])

from perch import ed25519  # noqa: E402

turns = 0


async def _turn(_ms):
    global turns
    turns += 1


def run(task):
    global turns
    turns = 0
    try:
        task.send(None)
    except StopIteration as end:
        return end.value
    raise ValueError("it waits for something else than a turn")


asyncio.sleep_ms = _turn
cases = json.loads(sys.argv[2])
wrong, most = [], 0
for size, digest in enumerate(cases["sha512"]):
    message = bytes([size & 255]) * size
    parts = message[:size // 3], message[size // 3:]
    if hexlify(run(ed25519.sha512(*parts))).decode() != digest:
        wrong.append("sha512 of %d bytes" % size)
for number, key, message, signature, expected in cases["verify"]:
    found = run(ed25519.verify(
        unhexlify(key), unhexlify(message), unhexlify(signature)))
    most = max(most, turns)
    if found is not expected:
        wrong.append("verify %s" % number)
print(json.dumps({"wrong": wrong, "turns": most}))
