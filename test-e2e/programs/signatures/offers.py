# SPDX-License-Identifier: Apache-2.0
"""`micropython offers.py PROGRAM CASES`: which offers a robot installs.

CASES are JSON: lists of an offer, the version that runs and its keys. Prints a
list with the reason of each refusal, or null.
"""

import asyncio
import json
import sys

sys.path.insert(0, sys.argv[1])

from perch.signed import Refused, require_signed  # noqa: E402


async def _turn(_ms):
    pass


def reason_of(offer, current, keys):
    try:
        require_signed(offer, current, keys).send(None)
    except StopIteration:
        return None
    except Refused as refused:
        return refused.reason
    raise ValueError("it waits for something else than a turn")


asyncio.sleep_ms = _turn
print(json.dumps([reason_of(*case) for case in json.loads(sys.argv[2])]))
