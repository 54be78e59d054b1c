"""The service, under one API key."""

from __future__ import annotations

import ssl
from typing import Any, Dict, List, Optional, cast

from .cancel import Cancel
from .robot import Robot
from .transport import Transport
from .types import RobotInfo


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

    def robots(self, *, timeout: Optional[float] = None, cancel: Optional[Cancel] = None) -> List[RobotInfo]:
        """The key's robots."""
        return cast(List[RobotInfo], self._get("robots", 1, timeout, cancel)["robots"])

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

    def _get(self, page: str, cost: int, timeout: Optional[float], cancel: Optional[Cancel]) -> Dict[str, Any]:
        seconds = self._timeout if timeout is None else timeout
        return self._transport.call("GET", self._transport.path(page), reads=True, cost=cost, timeout=seconds, cancel=cancel)
