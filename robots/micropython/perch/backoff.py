# SPDX-License-Identifier: Apache-2.0
"""How long the robot waits before it dials again."""

import random

REPLACED, REVOKED, MOVED, NO_VERSION = 4001, 4003, 4009, 4010


def final_reason(code, is_told_to_pair):
    """Returns why the robot does not dial again, or None."""
    if is_told_to_pair:
        return "the token is not valid"
    if code == REVOKED:
        return "revoked: pair again"
    if code == NO_VERSION:
        return "no common version of the link"
    return None


class Backoff:
    def __init__(self, min_ms, max_ms):
        self._min_ms = min_ms
        self._max_ms = max_ms
        self._attempt = 0

    def wait_ms(self, code, online_ms):
        """Returns the wait after a session that lasted `online_ms`."""
        if online_ms >= 60 * self._min_ms:
            self._attempt = 0
        if code == MOVED:
            return int(random.random() * self._min_ms / 2)
        if code == REPLACED:
            return self._max_ms
        wait = min(self._max_ms, self._min_ms << min(self._attempt, 16))
        self._attempt += 1
        return int(wait * (0.7 + 0.6 * random.random()))
