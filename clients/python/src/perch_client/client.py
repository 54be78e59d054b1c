"""The service, under one API key."""

from __future__ import annotations

import ssl
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union, cast

from .cancel import Cancel
from .robot import Robot
from .transport import Transport
from .types import RobotInfo


# Robots in each slice of a list; each slice is one call.
_slice_limit = 500


class Perch:
    """May be used from any number of threads; one client a key keeps them all within the key's bucket.

    base_url: such as ``http://127.0.0.1:8080``.
    timeout: seconds that a call may take beyond what it waits for by itself (`timeout_s` of a question, `seconds` of events), tries included.
    max_retries: how often a call is sent again where nothing can be done twice by it; 0 never.
    """

    def __init__(
        self, base_url: str, api_key: str, *, timeout: float = 30.0, max_retries: int = 3, ssl_context: Optional[ssl.SSLContext] = None
    ) -> None:
        self._transport = Transport(base_url, api_key, retries=max_retries, ssl_context=ssl_context)
        self._timeout = timeout

    def robots(
        self,
        *,
        online: Optional[bool] = None,
        firmware: Optional[str] = None,
        label: Union[str, Sequence[str]] = (),
        timeout: Optional[float] = None,
        cancel: Optional[Cancel] = None,
    ) -> List[RobotInfo]:
        """Returns the key's robots, ascending by id: all, or those that are online or offline, or have a firmware or labels.

        label: `room=r7`, or several, of which a robot has all.
        """
        return list(self.each_robot(online=online, firmware=firmware, label=label, timeout=timeout, cancel=cancel))

    def each_robot(
        self,
        *,
        online: Optional[bool] = None,
        firmware: Optional[str] = None,
        label: Union[str, Sequence[str]] = (),
        timeout: Optional[float] = None,
        cancel: Optional[Cancel] = None,
    ) -> Iterator[RobotInfo]:
        """Yields the key's robots, ascending by id, while they are read slice by slice: for keys with thousands of robots."""
        after: Optional[str] = None
        while True:
            robots, after = self.list_robots(
                limit=_slice_limit, after=after, online=online, firmware=firmware, label=label, timeout=timeout, cancel=cancel
            )
            yield from robots
            if after is None:
                return

    def list_robots(
        self,
        *,
        limit: Optional[int] = None,
        after: Optional[str] = None,
        online: Optional[bool] = None,
        firmware: Optional[str] = None,
        label: Union[str, Sequence[str]] = (),
        timeout: Optional[float] = None,
        cancel: Optional[Cancel] = None,
    ) -> Tuple[List[RobotInfo], Optional[str]]:
        """Returns one slice of the key's robots, and the `after` of the next slice or None.

        limit: robots at most, 1 to 1,000; if omitted, all.
        """
        is_online = None if online is None else str(online).lower()
        labels = [label] if isinstance(label, str) else list(label)
        query = {"limit": limit, "after": after, "online": is_online, "firmware": firmware, "label": labels or None}
        answer = self._get("robots", 1, timeout, cancel, query)
        robots = cast(List[RobotInfo], answer["robots"])
        if "next" in answer:
            return robots, cast(Optional[str], answer["next"])
        # A service before 0.10.0 knows no labels: no robot of it has one.
        return _narrowed([] if labels else robots, limit, after or "", online, firmware)

    def robot(self, robot: str) -> Robot:
        """One of them, by its id. Asks the service nothing."""
        return Robot(self._transport, robot, self._timeout)

    def actions(self, *, timeout: Optional[float] = None, cancel: Optional[Cancel] = None) -> Dict[str, Any]:
        """The actions and their arguments, as JSON Schemas."""
        return self._get("actions", 0, timeout, cancel)

    def openapi(self, *, timeout: Optional[float] = None, cancel: Optional[Cancel] = None) -> Dict[str, Any]:
        """The whole interface as an OpenAPI 3.1 description."""
        return self._get("openapi.json", 0, timeout, cancel)

    def close(self) -> None:
        """Closes the connections that are kept for the next call; the client can still be used."""
        self._transport.connections.close()

    def __enter__(self) -> Perch:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _get(
        self, page: str, cost: int, timeout: Optional[float], cancel: Optional[Cancel], query: Optional[Mapping[str, object]] = None
    ) -> Dict[str, Any]:
        seconds = self._timeout if timeout is None else timeout
        return self._transport.call("GET", self._transport.path(page, query=query), reads=True, cost=cost, timeout=seconds, cancel=cancel)


def _narrowed(
    robots: List[RobotInfo], limit: Optional[int], after: str, online: Optional[bool], firmware: Optional[str]
) -> Tuple[List[RobotInfo], Optional[str]]:
    """Applies the query to an answer of a service before 0.10.0, which ignores the query and sends all robots without `next`.

    While a service is upgraded, the slices of one list may come from instances of both releases.
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
