"""The client for asyncio: the methods of `perch_client`, as coroutines, with the standard library alone."""

from ..errors import NoAnswer, PerchError, TimedOut, Unreachable
from ..types import Event, Gap
from .client import Perch
from .group import Group
from .robot import Robot

__all__ = ["Event", "Gap", "Group", "NoAnswer", "Perch", "PerchError", "Robot", "TimedOut", "Unreachable"]
