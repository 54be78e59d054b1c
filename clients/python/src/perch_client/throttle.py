"""Delays calls to stay within the key's rate limit, as far as one program knows it."""

from __future__ import annotations

import re
import threading
import time
from typing import Callable, Optional

from .errors import PerchError
from .forks import renew_in_child
from .retry import longest_wait_s

_policy = re.compile(r'"actions";q=(\d+);w=(\d+)')
_limit = re.compile(r'"actions";r=(\d+)')


class Throttle:
    """A model of the key's token bucket, corrected by the `RateLimit` headers of each response.

    Other programs with the same key appear only in those headers: a 429 can still occur, and is retried.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self.in_child()
        renew_in_child(self)
        self._per_s: Optional[float] = None
        self._depth = 0.0
        self._left = 0.0
        self._at = 0.0

    def in_child(self) -> None:
        self._lock = threading.Lock()

    def take(self, cost: int) -> float:
        """Takes `cost` actions from the bucket. Returns the seconds to wait before they are sent. Raises PerchError above 60 s."""
        with self._lock:
            if self._per_s is None or cost == 0:
                return 0.0
            self._refill()
            seconds = max(0.0, (cost - self._left) / self._per_s)
            if seconds > longest_wait_s:
                raise PerchError("rate_limited", "Too many calls with this key are waiting for its rate limit; nothing was sent.", retry_after=seconds)
            self._left -= cost
            return seconds

    def learn(self, policy: Optional[str], limit: Optional[str]) -> None:
        """Updates the model from the headers `RateLimit-Policy` and `RateLimit` of a response, if present."""
        bucket, left = _policy.search(policy or ""), _limit.search(limit or "")
        if bucket is None or left is None or int(bucket[2]) == 0:
            return
        with self._lock:
            known = self._per_s is not None
            self._depth = float(bucket[1])
            self._per_s = self._depth / int(bucket[2])
            self._refill()
            # The model already counts the calls in flight; the response does not yet.
            self._left = min(self._left, float(left[1])) if known else float(left[1])

    def _refill(self) -> None:
        now = self._clock()
        assert self._per_s is not None
        self._left = min(self._depth, self._left + (now - self._at) * self._per_s)
        self._at = now
