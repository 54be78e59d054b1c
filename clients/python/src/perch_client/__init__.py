"""Drive small desktop robots through a Perch service."""

import logging

from .cancel import Cancel
from .client import Perch
from .errors import Cancelled, NoAnswer, PerchError, TimedOut, Unreachable
from .group import Group
from .robot import Robot
from .version import version as __version__
from .types import (
    ActivityEntry,
    ActivityPage,
    AskAnswer,
    ClickmapAnswer,
    CommandAnswer,
    DetachedAnswer,
    Done,
    Event,
    Events,
    Gap,
    GroupAnswer,
    Icon,
    KeyName,
    KeyUsage,
    MenuAnswer,
    Moved,
    Played,
    RobotCommand,
    RobotInfo,
    SceneAnswer,
    ScreenImage,
    Shown,
    Showing,
    Spoken,
    State,
    Stopped,
    UploadedPicture,
    UsageDay,
    WaitAnswer,
)

__all__ = [
    "ActivityEntry",
    "ActivityPage",
    "AskAnswer",
    "Cancel",
    "Cancelled",
    "ClickmapAnswer",
    "CommandAnswer",
    "DetachedAnswer",
    "Done",
    "Event",
    "Events",
    "Gap",
    "Group",
    "GroupAnswer",
    "Icon",
    "KeyName",
    "KeyUsage",
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
    "ScreenImage",
    "Shown",
    "Showing",
    "Spoken",
    "State",
    "Stopped",
    "TimedOut",
    "Unreachable",
    "UploadedPicture",
    "UsageDay",
    "WaitAnswer",
    "__version__",
]

logging.getLogger("perch_client").addHandler(logging.NullHandler())
