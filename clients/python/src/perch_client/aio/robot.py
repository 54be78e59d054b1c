"""A client for one robot: a method for each action of the service, with the same name and arguments."""

# Generated from the module of the same name by tools/generate_aio.py.

from __future__ import annotations

import sys
from base64 import b64decode, b64encode
from typing import TYPE_CHECKING, Any, Dict, AsyncIterator, Literal, Mapping, Optional, Sequence, TypedDict, Union, cast

from .event_stream import EventStream
from .transport import Transport, nothing
from ..types import (
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
    Said,
    SceneAnswer,
    ScreenImage,
    Shown,
    Spoken,
    State,
    Stopped,
)

if sys.version_info >= (3, 11):
    from typing import Unpack
elif TYPE_CHECKING:
    from typing_extensions import Unpack
else:

    class Unpack:
        """Stands in for typing.Unpack where type hints are read at run time."""

        def __class_getitem__(cls, options: Any) -> Any:
            return Any

# The service's default for `timeout_s`, and the most that it is for pages that must all be read.
_timeout_s_default = 30.0
_pages_timeout_s_max = 120.0
# Time that the speech engine of the service may take.
_speak_s = 30.0

# A JPEG or PNG, as bytes or in base64, its https address, or the id of an upload.
Picture = Union[str, bytes]


class CallOptions(TypedDict, total=False):
    """`timeout`: seconds for the whole call, including retries. `idempotency_key`: the service executes calls with the same key once."""

    timeout: Optional[float]
    idempotency_key: Optional[str]


class QuestionOptions(CallOptions, total=False):
    """`retry`: asks under a key, and again where the connection breaks, for up to 15 s after each break."""

    retry: bool


class Robot:
    """A client for one robot, created by `Perch.robot`.

    Every method takes ``timeout`` (seconds for the whole call, including retries) and, if it acts,
    ``idempotency_key``: for 10 minutes the service executes a call with the same key once, however often it is sent. If unset, the client
    generates one for each call that acts, except ask, menu and clickmap. These take ``retry``: with True the client asks under a key, and asks
    again where the connection breaks or a proxy answers, for up to 15 s after each break, for which the service keeps the question open, and up
    to 10 minutes in all, whatever `max_retries` says; a call that is cancelled or takes too long then removes its question by a request of its
    own, which takes up to 2 s, and which a service before 0.11.0 does not know: there the question stays for up to 15 s. Every method raises `PerchError`. A task that is
    cancelled closes its call, which removes a pending question. A picture is a JPEG or PNG, as bytes or in base64, or its https address.
    """

    def __init__(self, transport: Transport, robot: str, timeout: float) -> None:
        self.id = robot
        self._transport = transport
        self._timeout = timeout

    async def show(
        self,
        text: Optional[str] = None,
        *,
        title: Optional[str] = None,
        note: Optional[str] = None,
        icon: Optional[str] = None,
        qr: Optional[str] = None,
        sparkline: Optional[Sequence[Optional[float]]] = None,
        countdown: Optional[Mapping[str, Any]] = None,
        align: Optional[str] = None,
        format: Optional[str] = None,
        mono: Optional[bool] = None,
        overflow: Optional[str] = None,
        color: Optional[str] = None,
        background: Optional[str] = None,
        progress: Optional[float] = None,
        image: Optional[Picture] = None,
        lang: Optional[str] = None,
        clear: Optional[bool] = None,
        queue: Optional[bool] = None,
        priority: Optional[int] = None,
        expires_s: Optional[float] = None,
        for_s: Optional[float] = None,
        **call: Unpack[CallOptions],
    ) -> Shown:
        """Shows a card or a picture, or removes it with `clear`. `progress` is 0..1, `icon` one of `Perch.icons`, `lang` such as ja.

        `countdown` is such as {"seconds": 240, "done": "Ready"}, or {"until": "2026-12-31T23:59:00+01:00"}. With `queue` it shows when what waits at
        the robot is over, for at least `for_s` seconds before the next one.
        """
        args = {"text": text, "title": title, "note": note, "icon": icon, "align": align, "mono": mono}
        parts = {"qr": qr, "sparkline": sparkline, "countdown": countdown, "format": format, "overflow": overflow}
        colors = {"color": color, "background": background, "progress": progress}
        colors = {**colors, "queue": queue, "priority": priority, "expires_s": expires_s, "for_s": for_s}
        return cast(Shown, await self._act("show", {**args, **parts, **colors, "image": base64_picture(image), "lang": lang, "clear": clear}, call))

    async def say(self, text: str, *, seconds: Optional[float] = None, lang: Optional[str] = None, **call: Unpack[CallOptions]) -> Said:
        """Shows a speech bubble of at most 80 characters for `seconds` (default 6, at most 30). The face must be visible."""
        return cast(Said, await self._act("say", {"text": text, "seconds": seconds, "lang": lang}, call))

    async def face(self, emotion: Optional[str] = None, *, view: Optional[str] = None, **call: Unpack[CallOptions]) -> Done:
        """Sets the emotion (neutral, happy, angry, sad, doubt or sleepy), or the robot's own screen: `view` is face or readings."""
        return cast(Done, await self._act("face", {"emotion": emotion, "view": view}, call))

    async def move(self, gesture: Optional[str] = None, *, yaw: Optional[float] = None, pitch: Optional[float] = None, **call: Unpack[CallOptions]) -> Moved:
        """Moves the head by a gesture (nod, shake, home) or to degrees: yaw -128..128, positive to the robot's left; pitch 5..85, up."""
        return cast(Moved, await self._act("move", {"gesture": gesture, "yaw": yaw, "pitch": pitch}, call))

    async def leds(
        self,
        color: Optional[str] = None,
        *,
        bar: Optional[float] = None,
        pixels: Optional[Sequence[str]] = None,
        effect: Optional[str] = None,
        speed: Optional[float] = None,
        seconds: Optional[float] = None,
        brightness: Optional[float] = None,
        off: Optional[bool] = None,
        **call: Unpack[CallOptions],
    ) -> Done:
        """Lights one colour, a bar (0..1), 12 pixels, or an effect (rainbow, breathe, chase, blink, off) at `speed` 0.2..5; `brightness` is 0..1."""
        colors = {"color": color, "bar": bar, "pixels": pixels, "brightness": brightness, "off": off}
        args = {**colors, "effect": effect, "speed": speed, "seconds": seconds}
        return cast(Done, await self._act("leds", args, call))

    async def sound(
        self,
        chime: Optional[str] = None,
        *,
        notes: Optional[str] = None,
        bell: Optional[bool] = None,
        volume: Optional[float] = None,
        **call: Unpack[CallOptions],
    ) -> Played:
        """Plays a chime, a melody such as ``C5:150 -:50 G5:300`` (ms), or a tune in RTTTL (see `cut_melody`).

        Returns when it starts to play. `volume` is 0..100 and is kept.
        """
        return cast(Played, await self._act("sound", {"chime": chime, "notes": notes, "bell": bell, "volume": volume}, call))

    async def speak(
        self,
        text: str,
        *,
        voice: Optional[str] = None,
        lang: Optional[str] = None,
        volume: Optional[float] = None,
        **call: Unpack[CallOptions],
    ) -> Spoken:
        """Speaks a text of at most 300 characters, and shows it in a speech bubble. Returns when it begins to speak."""
        args = {"text": text, "voice": voice, "lang": lang, "volume": volume}
        return cast(Spoken, await self._act("speak", args, call, waited=_speak_s))

    async def ask(
        self,
        question: str,
        answers: Sequence[str],
        *,
        icons: Optional[Sequence[str]] = None,
        overflow: Optional[str] = None,
        lang: Optional[str] = None,
        whole: Optional[bool] = None,
        deny: Optional[int] = None,
        timeout_s: Optional[float] = None,
        detach: Optional[bool] = None,
        queue: Optional[bool] = None,
        priority: Optional[int] = None,
        expires_s: Optional[float] = None,
        **call: Unpack[QuestionOptions],
    ) -> AskAnswer:
        """Asks a question with 2 to 4 answers and waits for a tap, `timeout_s` seconds (default 30, at most 120). Cancelling removes the question.

        `icons` are names of `Perch.icons`, in the order of the answers, with "" for none. With `detach` it returns at once with a `wait` for `Perch.wait`, and
        `timeout_s` may be up to 86,400. With `whole`, a question or answer that would be cut
        raises `PerchError` (not_whole) instead of being shown; with `overflow` "pages", a long question is turned on pages instead of being cut.
        With both, `timeout_s` is by default 30 s from when the last page comes, at most 120 s in all.
        A tap counts once the question has shown for a moment; `deny` is the index of an answer that needs no more than 350 ms.
        With `queue` it shows when what waits at the robot is over; `expires_s` (default 120) bounds that."""
        texts = {"question": question, "answers": answers, "icons": icons, "lang": lang}
        args = {**texts, "overflow": overflow, "whole": whole, "deny": deny, "timeout_s": timeout_s, "detach": detach}
        args = {**args, "queue": queue, "priority": priority, "expires_s": expires_s}
        return cast(AskAnswer, await self._wait("ask", args, call))

    async def menu(
        self,
        items: Sequence[Union[str, Mapping[str, Any]]],
        *,
        title: Optional[str] = None,
        lang: Optional[str] = None,
        timeout_s: Optional[float] = None,
        detach: Optional[bool] = None,
        **call: Unpack[QuestionOptions],
    ) -> MenuAnswer:
        """Shows 2 to 6 tiles, each a label or ``{"id", "label", "image" or "icon"}``, and waits for a tap, like `ask`. Cancelling removes the tiles."""
        tiles = [item if isinstance(item, str) else _with_picture(item) for item in items]
        args = {"items": tiles, "title": title, "lang": lang, "timeout_s": timeout_s, "detach": detach}
        return cast(MenuAnswer, await self._wait("menu", args, call))

    async def clickmap(
        self,
        regions: Sequence[Mapping[str, Any]],
        *,
        image: Optional[Picture] = None,
        timeout_s: Optional[float] = None,
        detach: Optional[bool] = None,
        **call: Unpack[QuestionOptions],
    ) -> ClickmapAnswer:
        """Waits for the first tap inside a region, ``{"id", "rect" or "circle" or "polygon"}``, in pixels of the 320x240 screen."""
        args = {"regions": regions, "image": base64_picture(image), "timeout_s": timeout_s, "detach": detach}
        return cast(ClickmapAnswer, await self._wait("clickmap", args, call))

    async def command(self, command: str, args: Optional[Mapping[str, Any]] = None, **call: Unpack[CallOptions]) -> CommandAnswer:
        """Sends one of the robot's own commands, for what the other methods do not cover."""
        return cast(CommandAnswer, await self._act("command", {"command": command, "args": args}, call))

    async def state(self, *, timeout: Optional[float] = None) -> State:
        """Returns the robot's state; while it is offline, with its last readings."""
        path = self._transport.path("robots", self.id)
        answer = await self._transport.call("GET", path, reads=True, timeout=self._seconds(timeout), promised={"last_seq": int})
        return cast(State, answer)

    async def screen(self, *, timeout: Optional[float] = None) -> ScreenImage:
        """Returns what the robot's screen shows now: the question, card or picture, or else its face or readings as the service draws them."""
        return await self._picture("GET", self._transport.path("robots", self.id, "screen"), None, timeout)

    async def preview(
        self,
        action: Literal["show", "say", "ask", "menu"],
        args: Mapping[str, Any],
        *,
        timeout: Optional[float] = None,
    ) -> ScreenImage:
        """Returns what an action would show, without showing it, also while the robot is offline. `args`: the arguments of the action."""
        body = _with_picture(args)
        if action == "menu":
            body["items"] = [item if isinstance(item, str) else _with_picture(item) for item in args.get("items", [])]
        return await self._picture("POST", self._transport.path("robots", self.id, "preview", action), body, timeout)

    async def read_events(
        self,
        after: int = 0,
        *,
        names: Optional[Sequence[str]] = None,
        seconds: float = 0,
        timeout: Optional[float] = None,
    ) -> Events:
        """Returns events with a `seq` above `after`, or waits up to `seconds` (at most 60) for the next one. Pass `last_seq` as the next `after`."""
        path = self._events_path(after, names, seconds)
        limit = self._seconds(timeout, seconds)
        return cast(Events, await self._transport.call("GET", path, reads=True, timeout=limit, promised={"events": list}))

    async def events(
        self, after: Union[int, Literal["now"]] = 0, *, names: Optional[Sequence[str]] = None
    ) -> AsyncIterator[Union[Event, Gap]]:
        """Yields events as they happen, until it is closed or its task is cancelled: those with a `seq` above `after`, or only new ones for ``"now"``.

        Reconnects after the last event when the connection or an instance of the service ends: each event once, in order.
        Missing events are yielded as a `Gap`.
        """
        number = (await self.state())["last_seq"] if after == "now" else after
        async for record in EventStream(self._transport, self._events_path(number, names, None)).records():
            yield record

    async def stop(self, **call: Unpack[CallOptions]) -> Stopped:
        """Ends the wait, the sound, the LED effect and the head motion."""
        return cast(Stopped, await self._act("stop", {}, call))

    async def scene(self, actions: Sequence[Mapping[str, Any]], **call: Unpack[CallOptions]) -> SceneAnswer:
        """Runs up to 10 actions, ``{"action": name, ...arguments}``, in order, or at their times (``at_ms``); an ask, menu or clickmap only as the
        last one."""
        waited = sum(waited_s(action) for action in actions) + max((_at_s(action) for action in actions), default=0.0)
        waits = any(action.get("action") != "speak" and waited_s(action) > 0 for action in actions)
        done = [_with_picture(action) for action in actions]
        return cast(SceneAnswer, await self._act("scene", {"actions": done}, call, waited=waited, waits=waits, promised={"results": list}, cost=max(1, len(actions))))

    async def _wait(self, action: str, args: Dict[str, Any], call: Mapping[str, Any]) -> Dict[str, Any]:
        waited = waited_s({**args, "action": action})
        return await self._act(action, args, call, waited=waited, waits=waited > 0, promised={"outcome": str}, options=QuestionOptions)

    async def _act(
        self,
        action: str,
        args: Dict[str, Any],
        call: Mapping[str, Any],
        *,
        waited: float = 0.0,
        waits: bool = False,
        promised: Mapping[str, type] = nothing,
        cost: int = 1,
        options: Any = CallOptions,
    ) -> Dict[str, Any]:
        for name in call:
            if name not in options.__optional_keys__:
                raise TypeError(f"Robot.{action}() got an unexpected keyword argument {name!r}")
        given = {name: value for name, value in args.items() if value is not None}
        more = {name: value for name, value in call.items() if name not in ("timeout", "retry")}
        return await self._transport.call(
            "POST",
            self._transport.path("robots", self.id, action),
            body=given,
            waits=waits,
            promised=promised,
            cost=cost,
            timeout=self._seconds(call.get("timeout"), waited),
            removal=self._transport.path("robots", self.id, "wait") if call.get("retry") and waits else None,
            **more,
        )

    async def _picture(
        self, method: str, path: str, body: Optional[Mapping[str, Any]], timeout: Optional[float]
    ) -> ScreenImage:
        answer = await self._transport.call(method, path, body=body, reads=True, timeout=self._seconds(timeout), promised={"image": str})
        return cast(ScreenImage, {**answer, "image": b64decode(answer["image"])})

    def _seconds(self, timeout: Optional[float], waited: float = 0.0) -> float:
        return waited + self._timeout if timeout is None else timeout

    def _events_path(self, after: int, names: Optional[Sequence[str]], seconds: Optional[float]) -> str:
        query: Dict[str, Any] = {"after": after, "names": ",".join(names) if names else None, "seconds": seconds}
        return self._transport.path("robots", self.id, "events", query=query)


def waited_s(action: Mapping[str, Any]) -> float:
    """Returns the seconds that an action may wait for a person or the speech engine."""
    if action.get("action") == "speak":
        return _speak_s
    if action.get("action") not in ("ask", "menu", "clickmap") or action.get("detach") is True:
        return 0.0
    timeout_s = action.get("timeout_s")
    on_pages = action.get("whole") is True and action.get("overflow") == "pages"
    default = _pages_timeout_s_max if on_pages else _timeout_s_default
    waited = float(timeout_s) if isinstance(timeout_s, (int, float)) else default
    if action.get("queue") is not True:
        return waited
    expires_s = action.get("expires_s")
    return waited + (float(expires_s) if isinstance(expires_s, (int, float)) else 120.0)


def _at_s(action: Mapping[str, Any]) -> float:
    at_ms = action.get("at_ms")
    return at_ms / 1000 if isinstance(at_ms, (int, float)) else 0.0


def base64_picture(image: Optional[Picture]) -> Optional[str]:
    return b64encode(image).decode() if isinstance(image, bytes) else image


def _with_picture(fields: Mapping[str, Any]) -> Dict[str, Any]:
    return {name: base64_picture(value) if name == "image" else value for name, value in fields.items()}
