"""What the service answers, as it stands in the JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Optional, TypedDict, Union


class Event(TypedDict):
    """What somebody did at the robot. `seq` counts from 1 per robot; `at` is RFC 3339."""

    seq: int
    name: str
    data: Dict[str, Any]
    at: str


@dataclass(frozen=True)
class Gap:
    """Events with numbers above `after` and below `next` are missing: dropped because only the
    last ones are kept, or lost by the storage, after which numbering jumps."""

    after: int
    next: int


class Events(TypedDict):
    ok: bool
    events: List[Event]
    last_seq: int
    first_seq: int


class RobotCommand(TypedDict):
    name: str
    description: str
    args: Dict[str, Any]


class RobotInfo(TypedDict):
    id: str
    name: str
    online: bool
    model: str
    firmware: str
    commands: List[RobotCommand]
    labels: Dict[str, str]


class Showing(TypedDict):
    card: Optional[str]
    question: Optional[str]
    emotion: str
    view: str


class State(RobotInfo):
    """Readings by name, the unit in it: `battery_pct`, `light_lux`, `head_yaw_deg`; None is a sensor that failed."""

    ok: bool
    readings: Dict[str, Union[float, bool, str, None]]
    readings_at: Optional[str]
    showing: Showing
    events: List[Event]
    last_seq: int


class Done(TypedDict):
    ok: bool


class Shown(Done, total=False):
    """`ignored`: arguments that a picture leaves no room for; absent when there are none."""

    ignored: List[str]


class Moved(Done):
    """Degrees the robot took; None where it named none."""

    yaw: Optional[float]
    pitch: Optional[float]


class Played(Done):
    """`seconds`: how long it plays. `replaced`: another sound took its place before it began."""

    seconds: float
    replaced: bool


class WaitAnswer(Done):
    """`outcome` is answered, timed_out or replaced; fields of the tap are None without one. `index` counts from 0.

    `robot_away`: whether the robot was away, or restarted, at some time meanwhile."""

    outcome: str
    timed_out: bool
    replaced: bool
    robot_away: bool
    index: Optional[int]


class AskAnswer(WaitAnswer):
    answer: Optional[str]


class MenuAnswer(WaitAnswer):
    """`item`: the tile's id if it has one, else its label."""

    item: Optional[str]
    label: Optional[str]


class ClickmapAnswer(WaitAnswer):
    """`x`, `y`: screen pixels, 320x240."""

    region: Optional[str]
    x: Optional[float]
    y: Optional[float]


class CommandAnswer(Done, total=False):
    result: Any


class Stopped(Done):
    """`left_out`: what this robot does not have."""

    stopped: List[str]
    left_out: List[str]


class SceneAnswer(Done):
    """The answer of each action, in their order."""

    results: List[Dict[str, Any]]
