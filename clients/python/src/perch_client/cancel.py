"""Cancels calls from another thread."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import Callable, Iterator, Set

from .errors import Cancelled


class Cancel:
    """Cancels the calls it was passed to: each closes its connection and raises `Cancelled`, as do calls started with it later."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._event = threading.Event()
        self._hang_ups: Set[Callable[[], None]] = set()

    def cancel(self) -> None:
        """Cancels the calls. May be called from any thread, and more than once."""
        with self._lock:
            self._event.set()
            hang_ups = list(self._hang_ups)
        for hang_up in hang_ups:
            hang_up()

    @property
    def cancelled(self) -> bool:
        return self._event.is_set()

    def raise_if_cancelled(self) -> None:
        if self.cancelled:
            raise Cancelled("The call was cancelled.")

    def wait(self, seconds: float) -> None:
        """Sleeps. Raises `Cancelled` as soon as it is cancelled."""
        if self._event.wait(seconds):
            raise Cancelled("The call was cancelled.")

    @contextmanager
    def hanging_up(self, hang_up: Callable[[], None]) -> Iterator[None]:
        """Calls `hang_up` if it is cancelled within the block."""
        with self._lock:
            self.raise_if_cancelled()
            self._hang_ups.add(hang_up)
        try:
            yield
        finally:
            with self._lock:
                self._hang_ups.discard(hang_up)
