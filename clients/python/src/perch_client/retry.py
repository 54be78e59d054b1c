"""Decides which failed calls are retried: those certainly not executed, and others only if they are reads or have an Idempotency-Key,
with which the service executes a call once and replays the response."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Optional

from .errors import PerchError, TimedOut

# Certainly not executed; a retry may succeed.
_not_done = frozenset(("rate_limited", "robot_busy", "busy", "render_failed", "service_unavailable", "draining", "unreachable"))
# The outcome did not arrive; a retry with the same key returns it.
_lost = frozenset(("internal", "no_answer", "bad_answer"))
# The service does not know the outcome; a retry with the same key returns the same error.
_unknown = frozenset(("no_ack", "outcome_unknown"))

# A longer Retry-After is reported to the program instead.
_longest_retry_after_s = 60.0
_first_s = 0.2
_longest_s = 15.0


@dataclass(frozen=True)
class Repeatable:
    """`reads`: the call only reads. `keyed`: it has an Idempotency-Key. `waits`: it stays open until a person taps."""

    reads: bool
    keyed: bool
    waits: bool


def retry_in_s(error: PerchError, call: Repeatable, tries: int) -> Optional[float]:
    """Returns the seconds to wait before the retry, or None if the call is not retried. `tries`: number of failed tries, from 1."""
    if not _may_repeat(error, call):
        return None
    retry_after = error.retry_after or 0.0
    return None if retry_after > _longest_retry_after_s else retry_after + backoff_s(tries, _first_s)


def backoff_s(tries: int, first_s: float) -> float:
    """Returns an exponential backoff of at most 15 s, with jitter, so that clients do not retry in step."""
    return float(min(_longest_s, first_s * 2 ** min(tries - 1, 16)) * random.uniform(0.5, 1.0))


def _may_repeat(error: PerchError, call: Repeatable) -> bool:
    # The first actions of a scene were executed, or there is no time left.
    if error.results or isinstance(error, TimedOut):
        return False
    if error.code in _not_done:
        # Without a key the outcome of a question cannot be read again: the person may have answered it.
        return call.keyed or not (call.waits and error.code == "service_unavailable")
    if error.code in _lost:
        # A 4xx of a proxy is final.
        return (call.reads or call.keyed) and not 400 <= (error.status or 0) < 500
    return error.code in _unknown and call.reads
