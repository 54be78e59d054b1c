"""Drive small desktop robots through a Perch service."""

from .cancel import Cancel
from .client import Perch
from .errors import Cancelled, NoAnswer, PerchError, TimedOut, Unreachable
from .robot import Robot
from .types import (
    AskAnswer,
    ClickmapAnswer,
    CommandAnswer,
    Done,
    Event,
    Events,
    Gap,
    MenuAnswer,
    Moved,
    Played,
    RobotCommand,
    RobotInfo,
    SceneAnswer,
    Shown,
    Showing,
    State,
    Stopped,
    WaitAnswer,
)

__all__ = [
    "AskAnswer",
    "Cancel",
    "Cancelled",
    "ClickmapAnswer",
    "CommandAnswer",
    "Done",
    "Event",
    "Events",
    "Gap",
    "MenuAnswer",
    "Moved",
    "NoAnswer",
    "Perch",
    "PerchError",
    "Played",
    "Robot",
    "RobotCommand",
    "RobotInfo",
    "SceneAnswer",
    "Shown",
    "Showing",
    "State",
    "Stopped",
    "TimedOut",
    "Unreachable",
    "WaitAnswer",
]
