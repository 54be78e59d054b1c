"""What is sent again. Nothing is done twice: what surely was not done is sent again, and what may have been done only where it is a read,
or has an Idempotency-Key, under which the service does a call once and answers it again.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Optional

from .errors import PerchError, TimedOut

# Surely not done, and the next try may do it.
_not_done = frozenset(("rate_limited", "robot_busy", "busy", "render_failed", "service_unavailable", "draining", "unreachable"))
# What became of it was not told, and may be told the next time.
_lost = frozenset(("internal", "no_answer", "bad_answer"))
# Nobody knows what became of it, and under its key nobody ever will.
_unknown = frozenset(("no_ack", "outcome_unknown"))

# What no program would want to sit through.
_longest_retry_after_s = 60.0
_first_s = 0.2
_longest_s = 15.0


@dataclass(frozen=True)
class Repeatable:
    """`reads`: it changes nothing. `keyed`: it has an Idempotency-Key. `waits`: it is held open for a person's tap."""

    reads: bool
    keyed: bool
    waits: bool


def retry_in_s(error: PerchError, call: Repeatable, tries: int) -> Optional[float]:
    """How long to wait before the call is sent again; None where it must not, or need not, be. `tries` that failed count from 1."""
    if not _may_repeat(error, call):
        return None
    retry_after = error.retry_after or 0.0
    return None if retry_after > _longest_retry_after_s else retry_after + backoff_s(tries, _first_s)


def backoff_s(tries: int, first_s: float) -> float:
    """Between half and all of a time that doubles with each try: longer each time, and never in step with others."""
    return float(min(_longest_s, first_s * 2 ** min(tries - 1, 16)) * random.uniform(0.5, 1.0))


def _may_repeat(error: PerchError, call: Repeatable) -> bool:
    # The first actions of a scene were done; or there is no time left.
    if error.results or isinstance(error, TimedOut):
        return False
    if error.code in _not_done:
        # A question may have been answered when the service lost sight of it.
        return call.keyed or not (call.waits and error.code == "service_unavailable")
    if error.code in _lost:
        # A proxy's 4xx is an answer for good.
        return (call.reads or call.keyed) and not 400 <= (error.status or 0) < 500
    return error.code in _unknown and call.reads
