# SPDX-License-Identifier: Apache-2.0
"""Checks who has signed an offered update, before anything is fetched."""

from binascii import unhexlify

from perch.ed25519 import verify

PURPOSE = "perch robot program v1"


class Refused(Exception):
    """`reason` is one of unsigned, foreign, changed, lower and early."""

    def __init__(self, reason, text):
        super().__init__(text)
        self.reason = reason


def _numbers(version):
    return [int(part) for part in version.split(".")]


async def require_signed(offer, current, keys):
    """`offer` names the key; `current` is the version that runs.

    @raise Refused, ValueError
    """
    if not keys:
        return
    signature, key = offer.get("signature"), offer.get("key")
    if not signature or not key:
        raise Refused("unsigned", "the update is not signed")
    if key not in keys:
        raise Refused(
            "foreign", "the update is signed with the key %s, which this robot"
            " does not know" % str(key)[:8])
    version, lowest, highest = (
        offer["version"], offer.get("lowest"), offer.get("highest"))
    text = "\n".join(
        (PURPOSE, version, str(lowest), str(highest), offer["sha256"], ""))
    if not await verify(unhexlify(key), text.encode(), unhexlify(signature)):
        raise Refused("changed", "the update is not the one that was signed")
    if _numbers(current) > _numbers(highest):
        raise Refused("lower", "%s is lower than %s, and is not signed to"
                      " replace it" % (version, current))
    if _numbers(current) < _numbers(lowest):
        raise Refused("early", "%s replaces %s and later versions only"
                      % (version, lowest))
