# SPDX-License-Identifier: Apache-2.0
"""Pairs the robot with an account by a code on its screen (RFC 8628)."""

import asyncio

from perch.http import explained, http_base, post_json

AGAIN_MS = 5000


async def pair(settings, shape, tell, show_code, prepare, failed):
    """Resolves when a person has entered a code; codes expire and renew.

    `shape` has serial, model and firmware; `show_code(code, uri)`. Each
    attempt begins with `prepare`, and may end with `failed(why)`.
    """
    base = http_base(settings.get("url"))
    while True:
        await prepare()
        try:
            given = await _pair_once(base, settings, shape, show_code)
        except (OSError, ValueError, KeyError, TypeError) as error:
            # A portal answers 200 as well.
            failed(explained(error))
            given = None
        if given is not None:
            settings.save(token=given[1])
            tell("paired", robot=given[0])
            return
        await asyncio.sleep_ms(AGAIN_MS)


async def _pair_once(base, settings, shape, show_code):
    """Returns (robot_id, token), or None: the code has expired."""
    ca = settings.get("ca")
    status, begun = await post_json(
        base + "/robot/v1/pair", shape, settings.get("token"), ca)
    if status != 200:
        raise ValueError("status %d" % status)
    show_code(begun["user_code"], begun["verification_uri_complete"])
    interval_s = begun.get("interval", 5)
    device = {"device_code": begun["device_code"]}
    while True:
        await asyncio.sleep_ms(interval_s * 1000)
        status, answer = await post_json(
            base + "/robot/v1/pair/token", device, None, ca)
        if status == 200:
            return answer["robot_id"], answer["token"]
        if answer.get("error") == "slow_down":
            interval_s += 5
        elif answer.get("error") != "authorization_pending":
            return None
