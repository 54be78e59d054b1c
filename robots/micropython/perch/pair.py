# SPDX-License-Identifier: Apache-2.0
"""Pairs the robot with an account by a code on its screen (RFC 8628)."""

import asyncio

from perch.http import http_base, post_json

AGAIN_MS = 5000


async def pair(settings, shape, tell, show_code):
    """Resolves when a person has entered a code; codes expire and renew.

    `shape` has serial, model and firmware; `show_code(code, uri)`.
    """
    base = http_base(settings.get("url"))
    while True:
        try:
            given = await _pair_once(base, settings, shape, show_code)
        except (OSError, ValueError) as error:
            tell("log", level="warn", text="pairing: %s" % error)
            given = None
        if given is not None:
            settings.save(token=given["token"])
            tell("paired", robot=given["robot_id"])
            return
        await asyncio.sleep_ms(AGAIN_MS)


async def _pair_once(base, settings, shape, show_code):
    """Returns robot_id and token, or None: the code has expired."""
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
            return answer
        if answer.get("error") == "slow_down":
            interval_s += 5
        elif answer.get("error") != "authorization_pending":
            return None
