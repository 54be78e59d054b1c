"""The client for asyncio: the methods of `perch_client`, as coroutines, with the standard library alone."""

from ..errors import NoAnswer, PerchError, TimedOut, Unreachable
from ..types import Event, Gap
from .client import Perch
from .group import Group
from .robot import CallOptions, QuestionOptions, Robot

__all__ = [
    "CallOptions",
    "Event",
    "Gap",
    "Group",
    "NoAnswer",
    "Perch",
    "PerchError",
    "QuestionOptions",
    "Robot",
    "TimedOut",
    "Unreachable",
]
