
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Literal, Optional, TypedDict, Union


class Event(TypedDict):
    """An event at the robot. `seq` counts from 1 per robot; `at` is RFC 3339."""

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


class Declared(TypedDict, total=False):
    """Absent until the robot connects for the first time, and at a service of 0.10."""

    features: List[str]


class RobotInfo(Declared):
    id: str
    name: str
    online: bool
    model: str
    firmware: str
    commands: List[RobotCommand]
    labels: Dict[str, str]


class Icon(TypedDict):
    """An icon for show, ask and menu; `tags` are words for what it shows or means."""

    name: str
    tags: List[str]


class Waiting(TypedDict, total=False):
    """`wait`: of an open question that outlives its call. Absent at a service of 0.10."""

    wait: Optional[str]


class Showing(Waiting):
    card: Optional[str]
    question: Optional[str]
    emotion: str
    view: str


# `from` is a word of Python.
QuietHours = TypedDict("QuietHours", {"from": str, "to": str, "time_zone": str, "active": bool})


class ProgramVersions(TypedDict):
    """`current`: the version that runs. `offered`: the one that the owner can install; None: there is none."""

    current: str
    offered: Optional[str]


class Versioned(TypedDict, total=False):
    """`update`: versions of the robot program; None: a program that the service does not update."""

    update: Optional[ProgramVersions]


class State(Versioned, RobotInfo):
    """A robot's state. Names of readings contain the unit: `battery_pct`, `light_lux`, `head_yaw_deg`. None: the sensor failed.

    `volume_max`: the loudest that the owner allows; `quiet_hours`: hours in which it makes no sound. None: there is no limit."""

    ok: bool
    readings: Dict[str, Union[float, bool, str, None]]
    readings_at: Optional[str]
    showing: Showing
    volume_max: Optional[int]
    quiet_hours: Optional[QuietHours]
    events: List[Event]
    last_seq: int


class Done(TypedDict):
    ok: bool


class Noted(TypedDict, total=False):
    """What the person does not see as it was sent; a list without entries is absent.

    `truncated`: arguments whose text was cut, such as ``answers[1]``. `missing`: characters that no font of the service has.
    `adjusted`: arguments that are shown otherwise than sent, such as a colour on a plate."""

    truncated: List[str]
    missing: List[str]
    adjusted: List[str]


class Said(Done, Noted):
    pass


class Queued(TypedDict, total=False):
    """Only with `queue`: whether it is in the robot's queue, or has expired there, and its place, from 1."""

    queued: bool
    place: int


class Shown(Done, Noted, Queued, total=False):
    """`ignored`: arguments ignored because of the picture; absent if there are none."""

    ignored: List[str]


class Moved(Done):
    """Target in degrees after clamping; None if the robot did not report it."""

    yaw: Optional[float]
    pitch: Optional[float]


class Silenced(TypedDict, total=False):
    """`silenced`: why nothing was played: quiet_hours."""

    silenced: str


class Played(Done, Silenced):
    """`seconds`: how long the sound plays. `replaced`: another sound replaced it before it began."""

    seconds: float
    replaced: bool


class SpokenParts(TypedDict, total=False):
    seconds: float
    caption_left_out: str


class Spoken(Done, Noted, Silenced, SpokenParts):
    """`seconds`: how long the speech is; absent if it was not known when it began. `caption`: whether the text shows in a bubble;
    `caption_left_out` says why not: card_showing, no_bubble or failed."""

    replaced: bool
    caption: bool


class WaitFields(Done):
    """Fields of each answer of a question. `robot_away`: whether the robot was offline or restarted while the call was waiting."""

    timed_out: bool
    replaced: bool
    robot_away: bool


class AskFields(WaitFields, Noted, Queued):
    pass


class AskAnswered(AskFields):
    """The person tapped an answer; `index` counts from 0."""

    outcome: Literal["answered"]
    answer: str
    index: int


class AskUnanswered(AskFields):
    """The time ran out, or a newer question or a stop ended this one."""

    outcome: Literal["timed_out", "replaced"]
    answer: None
    index: None


class AskPending(AskFields):
    """Only with `detach`: the question is open; `Perch.wait` goes on waiting with `wait`."""

    outcome: Literal["pending"]
    wait: str
    answer: None
    index: None


class MenuFields(WaitFields, Noted):
    pass


class MenuAnswered(MenuFields):
    """`item`: the tile's id, or its label if it has no id. None for a tile with neither, which `index`, from 0, identifies."""

    outcome: Literal["answered"]
    item: Optional[str]
    label: Optional[str]
    index: int


class MenuUnanswered(MenuFields):
    """As `AskUnanswered`."""

    outcome: Literal["timed_out", "replaced"]
    item: None
    label: None
    index: None


class MenuPending(MenuFields):
    """As `AskPending`."""

    outcome: Literal["pending"]
    wait: str
    item: None
    label: None
    index: None


class ClickmapAnswered(WaitFields):
    """`x`, `y`: screen pixels, 320x240. `index` counts from 0."""

    outcome: Literal["answered"]
    region: str
    index: int
    x: float
    y: float


class ClickmapUnanswered(WaitFields):
    """As `AskUnanswered`."""

    outcome: Literal["timed_out", "replaced"]
    region: None
    index: None
    x: None
    y: None


class ClickmapPending(WaitFields):
    """As `AskPending`."""

    outcome: Literal["pending"]
    wait: str
    region: None
    index: None
    x: None
    y: None


class DetachedFields(WaitFields, Queued):
    wait: str
    robot: str
    action: str


class Tapped(TypedDict, total=False):
    """The fields of the `action`."""

    answer: str
    item: Optional[str]
    label: Optional[str]
    region: str
    x: float
    y: float


class NotTapped(TypedDict, total=False):
    answer: None
    item: None
    label: None
    region: None
    x: None
    y: None


class DetachedAnswered(DetachedFields, Tapped):
    """The end of a question asked with `detach`: the person tapped an answer; `index` counts from 0."""

    outcome: Literal["answered"]
    index: int


class DetachedUnanswered(DetachedFields, NotTapped):
    """A question asked with `detach` that is open (pending), or ended without a tap."""

    outcome: Literal["timed_out", "replaced", "pending"]
    index: None


# `outcome` tells which it is, to programs and to type checkers.
AskAnswer = Union[AskAnswered, AskUnanswered, AskPending]
MenuAnswer = Union[MenuAnswered, MenuUnanswered, MenuPending]
ClickmapAnswer = Union[ClickmapAnswered, ClickmapUnanswered, ClickmapPending]
WaitAnswer = Union[AskAnswer, MenuAnswer, ClickmapAnswer]
DetachedAnswer = Union[DetachedAnswered, DetachedUnanswered]


class CommandAnswer(Done):
    result: Any


class Stopped(Done):
    """`left_out`: parts this robot does not have."""

    stopped: List[str]
    left_out: List[str]


class SceneAnswer(Done):
    """`results`: the response of each action, in order."""

    results: List[Dict[str, Any]]


class ScreenImage(Done, Noted):
    """`image`: a PNG of 320x240 pixels."""

    image: bytes


class UploadedPicture(Done):
    """`picture`: its id. `w`, `h`: pixels, as the file stores them. `expires_at`: RFC 3339."""

    picture: str
    format: str
    w: int
    h: int
    bytes: int
    expires_at: str


class KeyName(TypedDict):
    id: str
    name: str


class ActivityEntry(TypedDict):
    """A call of a key (`kind` calls), or a sign-in or change of the account (changes). Fields that do not apply are None.

    `via`: http, agent, page or operator. `seconds`: duration of the call. `tap_s`: from the question on the screen to the tap.
    `guest`: e-mail address of the person with whom the robot is shared, who made the call or whose access changed."""

    seq: int
    at: str
    kind: str
    via: str
    key: Optional[KeyName]
    robot: Optional[str]
    action: str
    outcome: str
    count: int
    seconds: Optional[float]
    question: Optional[str]
    answer: Optional[str]
    x: Optional[int]
    y: Optional[int]
    tap_s: Optional[float]
    network: Optional[str]
    subject: Optional[str]
    guest: Optional[str]


class ActivityPage(Done):
    """`last_seq`: pass it as `after` to read later entries. `next_before`: pass it as `before` to read earlier ones; None: there are none."""

    activity: List[ActivityEntry]
    last_seq: int
    next_before: Optional[int]


class KeyUsage(TypedDict):
    """Usage of one key on one day; `key` is None for the web page. `answer_rate` and `median_tap_s` are None without questions and taps."""

    key: Optional[KeyName]
    calls: int
    refused: int
    asked: int
    answered: int
    answer_rate: Optional[float]
    median_tap_s: Optional[float]


class UsageDay(TypedDict):
    """`date`: day in UTC."""

    date: str
    keys: List[KeyUsage]


class FirstAnswered(TypedDict, total=False):
    first: Optional[str]


class GroupAnswer(Done, FirstAnswered):
    """`robots`: for each robot its id as `robot`, and its answer or failure. `first`: with answers first, the robot that was answered, or None."""

    robots: List[Dict[str, Any]]
    failed: int
