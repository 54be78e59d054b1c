"""What a forked process must not share with its parent: connections, on which it would read the parent's answers, and locks that a thread holds."""

from __future__ import annotations

import os
from typing import Protocol
from weakref import WeakSet


class Forked(Protocol):
    def in_child(self) -> None:
        """Called in the child after a fork."""


_forked: WeakSet[Forked] = WeakSet()


def renew_in_child(thing: Forked) -> None:
    _forked.add(thing)


def _renew() -> None:
    for thing in list(_forked):
        thing.in_child()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)
