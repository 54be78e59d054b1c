"""A client for the robots of a group: one call acts on all of them at the same time."""

# Generated from the module of the same name by tools/generate_aio.py.

from __future__ import annotations

from typing import Any, Mapping, Optional, cast

from .robot import base64_picture, waited_s
from .transport import Transport
from ..types import GroupAnswer


class Group:
    """A client for the robots with a label, or all robots of the key; created by `Perch.group`."""

    def __init__(self, transport: Transport, label: str, timeout: float) -> None:
        self.label = label
        self._transport = transport
        self._timeout = timeout

    async def act(
        self,
        action: str,
        args: Optional[Mapping[str, Any]] = None,
        *,
        answers: Optional[str] = None,
        timeout: Optional[float] = None,
        idempotency_key: Optional[str] = None,
    ) -> GroupAnswer:
        """Performs one action on every robot of the group (POST /v1/groups/{label}/{action}).

        It counts for as many actions as the group has robots, up to 100. `robots` has one answer for each; the failure of one, such as
        robot_offline, is its answer.
        answers: for ask, menu and clickmap, `first` ends the call with the first answer, which removes the questions of the other robots.
        Raises PerchError if the whole call is refused: its code is not_found if no robot has the label.
        """
        given = {name: base64_picture(value) if name == "image" else value for name, value in (args or {}).items() if value is not None}
        waited = waited_s({**given, "action": action})
        reads = action in ("state", "events")
        seconds = given.get("seconds") if action == "events" else None
        answer = await self._transport.call(
            "POST",
            self._transport.path("groups", self.label, action, query={"answers": answers}),
            body=given,
            reads=reads,
            waits=waited > 0 and action != "speak",
            timeout=waited + float(seconds or 0) + self._timeout if timeout is None else timeout,
            idempotency_key=idempotency_key,
            promised={"robots": list},
        )
        return cast(GroupAnswer, answer)
