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

# A longer wait, for a Retry-After or for the rate limit, is reported to the program instead.
longest_wait_s = 60.0
_first_s = 0.2
_longest_s = 15.0
# How long the service keeps a question open after its connection broke.
_kept_s = 15.0
# So that the last tries come about 2 s apart.
_persisting_tries = 4
# A try that was open for longer had reached the service.
_reached_s = 1.0
# The service stores the outcome of a call with a key for 10 minutes; after that the call would be executed again.
persists_s = 600.0
# Time limit of the removal of a question.
remove_within_s = 2.0


@dataclass(frozen=True)
class Repeatable:
    """`reads`: the call only reads. `keyed`: it has an Idempotency-Key. `waits`: it stays open until a person taps.

    `persists`: it is a question that is asked again for as long as the service keeps it open (`retry`).
    """

    reads: bool
    keyed: bool
    waits: bool
    persists: bool = False


class FailedTries:
    """The failed tries of one call."""

    def __init__(self, call: Repeatable, retries: int) -> None:
        self._call = call
        self._retries = retries
        self._tries = 0
        # When the connection to an open question broke.
        self._broken_at: Optional[float] = None

    def retry_in_s(self, error: PerchError, sent_at: float, now: float) -> Optional[float]:
        """Returns the seconds to wait before the next try, or None for none. `sent_at`: when the failed one was sent, on the clock of `now`."""
        if self._call.persists and error.code != "unreachable" and now - sent_at > _reached_s:
            self._tries = 0
            self._broken_at = None
        self._tries += 1
        if self._call.persists and may_be_open(error) and self._broken_at is None:
            self._broken_at = now
        retry_after = error.retry_after or 0.0
        if not _may_repeat(error, self._call) or retry_after > longest_wait_s:
            return None
        pause = retry_after + backoff_s(min(self._tries, _persisting_tries) if self._call.persists else self._tries, _first_s)
        late = self._tries > self._retries if self._broken_at is None else now + pause > self._broken_at + _kept_s
        return None if late else pause


def may_be_open(error: PerchError) -> bool:
    """Returns whether a question whose call failed so may be open."""
    return error.code == "unreachable" or error.code in _lost


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
    # A proxy's, too: what it refuses was not executed.
    if error.status == 429:
        return True
    if error.code in _lost:
        # A redirect or a 4xx of a proxy is final.
        return (call.reads or call.keyed) and not 300 <= (error.status or 0) < 500
    return error.code in _unknown and call.reads
