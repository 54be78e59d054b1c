"""Sends calls, reads responses, and retries where it is safe."""

from __future__ import annotations

import asyncio
import ssl
from typing import Any, Dict, Mapping, Optional, Tuple, Union

from ..calls import answer_of, path_of, request_of
from ..connections import Deadline
from ..errors import NoAnswer, PerchError, TimedOut, Unreachable
from ..retry import retry_in_s
from ..throttle import Throttle
from ..transport import user_agent
from .connections import BrokenResponse, Connection, Connections, Response

_answer_bytes_max = 16 * 1024 * 1024
_broken = (OSError, EOFError, ValueError, BrokenResponse, asyncio.LimitOverrunError)


class Transport:
    def __init__(self, base_url: str, api_key: str, *, retries: int, ssl_context: Optional[ssl.SSLContext]) -> None:
        self.connections = Connections(base_url, ssl_context)
        self.headers = {"authorization": f"Bearer {api_key}", "user-agent": user_agent}
        self._retries = retries
        self._throttle = Throttle()

    def path(self, *parts: str, query: Optional[Mapping[str, object]] = None) -> str:
        """Returns the path of quoted parts below /v1. Query values of None are omitted; lists become one parameter per entry."""
        return path_of(self.connections.path, parts, query)

    async def call(
        self,
        method: str,
        path: str,
        *,
        body: Union[Mapping[str, Any], bytes, None] = None,
        reads: bool = False,
        waits: bool = False,
        cost: int = 1,
        timeout: float,
        idempotency_key: Optional[str] = None,
    ) -> Dict[str, Any]:
        """Returns the JSON of the response, whose `ok` is true. The arguments are those of the transport without asyncio."""
        headers, sent, repeatable = request_of(
            self.headers, body, reads=reads, waits=waits, idempotency_key=idempotency_key, retries=self._retries
        )
        deadline = Deadline(timeout)
        tries = 0
        while True:
            await _sleep(self._throttle.take(cost), deadline)
            try:
                return await self._once(method, path, sent, headers, deadline)
            except PerchError as error:
                tries += 1
                pause = retry_in_s(error, repeatable, tries)
                if pause is None or tries > self._retries or pause > deadline.left:
                    raise
            await _sleep(pause, deadline)

    async def _once(self, method: str, path: str, body: Optional[bytes], headers: Dict[str, str], deadline: Deadline) -> Dict[str, Any]:
        connection = await self._connection(deadline, reuse=True)
        whole = False
        try:
            response, text = await asyncio.wait_for(_exchange(connection, method, path, body, headers), max(0.001, deadline.left))
            whole = response.keeps_connection
        except asyncio.TimeoutError as error:
            raise TimedOut("The service did not answer within the timeout of the call.") from error
        except _broken as error:
            raise lost(error) from error
        finally:
            # Closed as well if the task was cancelled, which removes a pending question.
            if whole:
                self.connections.give_back(connection)
            else:
                connection.close()
        return self._answer(response, text)

    async def open_stream(self, path: str, headers: Dict[str, str], silence_s: float) -> Tuple[Connection, Response]:
        """Opens a stream on a connection of its own."""
        deadline = Deadline(silence_s)
        await _sleep(self._throttle.take(1), deadline)
        connection = await self._connection(deadline, reuse=False)
        try:
            asked = connection.request("GET", path, None, {**self.headers, **headers, "accept": "text/event-stream"})
            response = await asyncio.wait_for(asked, deadline.left)
            if response.status != 200:
                self._answer(response, await asyncio.wait_for(response.read(_answer_bytes_max), max(0.001, deadline.left)))
            if not response.headers.get("content-type", "").startswith("text/event-stream"):
                raise PerchError("bad_answer", "The response is not an event stream.", status=response.status)
            return connection, response
        except BaseException as error:
            connection.close()
            if isinstance(error, (asyncio.TimeoutError, *_broken)):
                raise lost(error) from error
            raise

    async def _connection(self, deadline: Deadline, *, reuse: bool) -> Connection:
        try:
            return await (self.connections.take(deadline) if reuse else self.connections.dial(deadline))
        except (OSError, asyncio.TimeoutError) as error:
            raise Unreachable(f"The service cannot be reached ({str(error) or type(error).__name__}).") from error

    def _answer(self, response: Response, text: bytes) -> Dict[str, Any]:
        self._throttle.learn(response.headers.get("ratelimit-policy"), response.headers.get("ratelimit"))
        return answer_of(response.status, text, response.headers.get("retry-after", ""))


def lost(error: BaseException) -> PerchError:
    """Returns the exception for a connection that broke before the whole response."""
    return NoAnswer(f"The service did not answer ({str(error) or type(error).__name__}).")


async def _exchange(connection: Connection, method: str, path: str, body: Optional[bytes], headers: Dict[str, str]) -> Tuple[Response, bytes]:
    response = await connection.request(method, path, body, headers)
    return response, await response.read(_answer_bytes_max)


async def _sleep(seconds: float, deadline: Deadline) -> None:
    """Sleeps. Raises TimedOut if the deadline is earlier."""
    waited = min(seconds, deadline.left)
    if waited > 0:
        await asyncio.sleep(waited)
    if waited < seconds:
        raise TimedOut("The call took longer than its timeout: too many calls with this key are waiting for the rate limit.")
