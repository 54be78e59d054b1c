"""The entry point of the client: the service, for one API key."""

# Generated from the module of the same name by tools/generate_aio.py.

from __future__ import annotations

import ssl
from typing import Any, Dict, AsyncIterator, List, Mapping, Optional, Sequence, Tuple, Union, cast

from .group import Group
from .robot import Robot
from .transport import Transport
from ..types import ActivityEntry, ActivityPage, DetachedAnswer, Icon, RobotInfo, UploadedPicture, UsageDay


_slice_limit = 500
_activity_limit = 1000


class Perch:
    """A client of the service. Use it in one event loop, and use one client per key, so that all tasks together stay within the key's rate limit.

    base_url: URL of the service, such as ``http://127.0.0.1:8080``.
    timeout: seconds for a call including its retries, in addition to `timeout_s` of a question and `seconds` of events.
    max_retries: maximum number of retries of a call that cannot be executed twice by retrying; 0 disables retries.
    headers: further headers of each call, such as those that a gateway in front of the service wants.
    proxy: http URL of a proxy; without it the service is called directly, whatever the environment says.
    Raises ValueError for a `base_url` that is not an http or https URL, and for a key or header that cannot be sent. Each response is told to the
    logger `perch_client` at level DEBUG: method, path, status, time and request id.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        timeout: float = 30.0,
        max_retries: int = 3,
        ssl_context: Optional[ssl.SSLContext] = None,
        headers: Optional[Mapping[str, str]] = None,
        proxy: Optional[str] = None,
    ) -> None:
        self._transport = Transport(base_url, api_key, retries=max_retries, ssl_context=ssl_context, headers=headers, proxy=proxy)
        self._timeout = timeout

    async def robots(
        self,
        *,
        online: Optional[bool] = None,
        firmware: Optional[str] = None,
        label: Union[str, Sequence[str]] = (),
        timeout: Optional[float] = None,
    ) -> List[RobotInfo]:
        """Returns the key's robots, ascending by id, optionally filtered (GET /v1/robots).

        label: one label such as `room=r7`, or several, all of which a robot must have.
        Raises PerchError.
        """
        return [each async for each in self.each_robot(online=online, firmware=firmware, label=label, timeout=timeout)]

    async def each_robot(
        self,
        *,
        online: Optional[bool] = None,
        firmware: Optional[str] = None,
        label: Union[str, Sequence[str]] = (),
        timeout: Optional[float] = None,
    ) -> AsyncIterator[RobotInfo]:
        """Yields the key's robots, ascending by id, while it reads them slice by slice: for keys with thousands of robots."""
        after: Optional[str] = None
        while True:
            robots, after = await self.list_robots(
                limit=_slice_limit, after=after, online=online, firmware=firmware, label=label, timeout=timeout
            )
            for each in robots:
                yield each
            if after is None:
                return

    async def list_robots(
        self,
        *,
        limit: Optional[int] = None,
        after: Optional[str] = None,
        online: Optional[bool] = None,
        firmware: Optional[str] = None,
        label: Union[str, Sequence[str]] = (),
        timeout: Optional[float] = None,
    ) -> Tuple[List[RobotInfo], Optional[str]]:
        """Returns one slice of the key's robots, and the `after` of the next slice, or None if it is the last one.

        limit: maximum number of robots, 1 to 1,000. Default: all.
        """
        is_online = None if online is None else str(online).lower()
        labels = [label] if isinstance(label, str) else list(label)
        query = {"limit": limit, "after": after, "online": is_online, "firmware": firmware, "label": labels or None}
        answer = await self._get("robots", 1, timeout, query, robots=list)
        robots = cast(List[RobotInfo], answer["robots"])
        if "next" in answer:
            return robots, cast(Optional[str], answer["next"])
        # Robots of a service before 0.10.0 have no labels.
        return _filtered([] if labels else robots, limit, after or "", online, firmware)

    def robot(self, robot: str) -> Robot:
        """Returns a client for the robot with this id. Sends nothing."""
        return Robot(self._transport, robot, self._timeout)

    def group(self, label: str) -> Group:
        """Returns a client for the robots with a label, such as `room=r7`; `all`: every robot of the key. Sends nothing."""
        return Group(self._transport, label, self._timeout)

    async def upload_picture(self, picture: bytes, *, timeout: Optional[float] = None) -> UploadedPicture:
        """Keeps a JPEG or PNG of up to 2 MB for a day; its id, `picture`, is accepted as `image` with every key of the account (POST /v1/pictures).

        The same picture has the same id.
        """
        seconds = self._timeout if timeout is None else timeout
        path = self._transport.path("pictures")
        # Repeating it changes nothing, as with a call that only reads.
        answer = await self._transport.call("POST", path, body=picture, reads=True, timeout=seconds, promised={"picture": str})
        return cast(UploadedPicture, answer)

    async def activity(
        self,
        *,
        after: Optional[int] = None,
        before: Optional[int] = None,
        limit: Optional[int] = None,
        robot: Optional[str] = None,
        key: Optional[str] = None,
        action: Optional[str] = None,
        outcome: Optional[str] = None,
        kind: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> ActivityPage:
        """Returns what each key asked of each robot, and sign-ins and changes of the account, ascending by `seq` (GET /v1/activity).

        after, before: `last_seq` or `next_before` of an earlier response; without both, the newest entries. limit: 1 to 1,000, default 100.
        key: id of a key, or `page`. outcome: `refused` selects every error. kind: `calls` or `changes`.
        """
        query = {
            "after": after,
            "before": before,
            "limit": limit,
            "robot": robot,
            "key": key,
            "action": action,
            "outcome": outcome,
            "kind": kind,
        }
        return cast(ActivityPage, await self._get("activity", 1, timeout, query, activity=list))

    async def each_activity(
        self,
        *,
        robot: Optional[str] = None,
        key: Optional[str] = None,
        action: Optional[str] = None,
        outcome: Optional[str] = None,
        kind: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> AsyncIterator[ActivityEntry]:
        """Yields the entries of the activity, newest first, while it reads them page by page."""
        before: Optional[int] = None
        while True:
            page = await self.activity(
                before=before,
                limit=_activity_limit,
                robot=robot,
                key=key,
                action=action,
                outcome=outcome,
                kind=kind,
                timeout=timeout,
                )
            for each in reversed(page["activity"]):
                yield each
            before = page["next_before"]
            if before is None:
                return

    async def usage(self, *, timeout: Optional[float] = None) -> List[UsageDay]:
        """Returns calls, refusals, questions, answers and the median time to tap, per day and key, newest day first (GET /v1/activity/usage)."""
        return cast(List[UsageDay], (await self._get("activity/usage", 1, timeout, days=list))["days"])

    async def wait(
        self, wait: str, *, seconds: float = 0, timeout: Optional[float] = None
    ) -> DetachedAnswer:
        """Goes on waiting for a question asked with `detach`, up to `seconds` (at most 60), and returns how it ended or pending (GET /v1/waits/{wait}).

        Raises PerchError also with the failure of the question."""
        limit = (self._timeout if timeout is None else timeout) + seconds
        return cast(DetachedAnswer, await self._get(f"waits/{wait}", 1, limit, {"seconds": seconds}, outcome=str))

    async def remove_wait(self, wait: str, *, timeout: Optional[float] = None) -> None:
        """Takes such a question off the screen and deletes its outcome (DELETE /v1/waits/{wait})."""
        limit = self._timeout if timeout is None else timeout
        await self._transport.call("DELETE", self._transport.path("waits", wait), reads=True, timeout=limit)

    async def actions(self, *, timeout: Optional[float] = None) -> Dict[str, Any]:
        """Returns the actions with JSON Schemas of their arguments (GET /v1/actions)."""
        return await self._get("actions", 0, timeout, actions=list)

    async def icons(self, *, timeout: Optional[float] = None) -> List[Icon]:
        """Returns the icons for show, ask and menu, each with words for what it shows (GET /v1/icons)."""
        return cast(List[Icon], (await self._get("icons", 0, timeout, icons=list))["icons"])

    async def openapi(self, *, timeout: Optional[float] = None) -> Dict[str, Any]:
        """Returns the OpenAPI 3.1 description of the interface (GET /v1/openapi.json)."""
        return await self._get("openapi.json", 0, timeout, openapi=str)

    async def close(self) -> None:
        """Closes idle connections. The client can still be used."""
        self._transport.connections.close()

    async def __aenter__(self) -> Perch:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _get(
        self,
        page: str,
        cost: int,
        timeout: Optional[float],
        query: Optional[Mapping[str, object]] = None,
        **promised: type,
    ) -> Dict[str, Any]:
        seconds = self._timeout if timeout is None else timeout
        path = self._transport.path(*page.split("/"), query=query)
        return await self._transport.call("GET", path, reads=True, cost=cost, timeout=seconds, promised=promised)


def _filtered(
    robots: List[RobotInfo], limit: Optional[int], after: str, online: Optional[bool], firmware: Optional[str]
) -> Tuple[List[RobotInfo], Optional[str]]:
    """Applies the query to a response of a service before 0.10.0, which ignores the query and sends all robots without `next`.

    During an upgrade, the slices of one list may come from instances of both releases.
    """
    wanted = sorted(
        (
            robot
            for robot in robots
            if robot["id"] > after and online in (None, robot["online"]) and firmware in (None, robot["firmware"])
        ),
        key=lambda robot: robot["id"],
    )
    found = wanted[:limit]
    return found, found[-1]["id"] if found and len(found) < len(wanted) else None
