"""Sends calls, reads responses, and retries where it is safe."""

from __future__ import annotations

import asyncio
import ssl
import time
from typing import Any, Dict, Mapping, Optional, Tuple, Union

from ..calls import answer_of, headers_of, path_of, request_of
from ..connections import Deadline
from ..errors import NoAnswer, PerchError, TimedOut, Unreachable
from ..retry import FailedTries, may_be_open, persists_s, remove_within_s
from ..throttle import Throttle
from ..transport import TooLong, log_call, nothing, user_agent
from .connections import BrokenResponse, Connection, Connections, Response

_answer_bytes_max = 16 * 1024 * 1024
_broken = (OSError, EOFError, ValueError, BrokenResponse, TooLong, asyncio.LimitOverrunError)


class Transport:
    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        retries: int,
        ssl_context: Optional[ssl.SSLContext],
        headers: Optional[Mapping[str, str]] = None,
        proxy: Optional[str] = None,
    ) -> None:
        self.connections = Connections(base_url, ssl_context, proxy)
        self.headers = headers_of(api_key, user_agent, headers)
        self.retries = retries
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
        promised: Mapping[str, type] = nothing,
        removal: Optional[str] = None,
    ) -> Dict[str, Any]:
        """Returns the JSON of the response, whose `ok` is true. The arguments are those of the transport without asyncio."""
        persists = removal is not None
        headers, content, repeatable = request_of(
            self.headers, body, reads=reads, waits=waits, persists=persists, idempotency_key=idempotency_key, retries=self.retries
        )
        deadline = Deadline(min(timeout, persists_s) if persists else timeout)
        failed = FailedTries(repeatable, self.retries)
        sent = False
        try:
            while True:
                await _sleep(self._throttle.take(cost), deadline)
                was_sent, sent, sent_at = sent, True, time.monotonic()
                try:
                    return await self._once(method, path, content, headers, deadline, promised, fresh=waits)
                except PerchError as error:
                    sent = was_sent if error.code == "unreachable" else may_be_open(error)
                    pause = failed.retry_in_s(error, sent_at, time.monotonic())
                    if pause is None or pause > deadline.left:
                        raise
                await _sleep(pause, deadline)
        except BaseException:
            if removal is not None and sent:
                await self._remove(removal, headers["idempotency-key"])
            raise

    async def _remove(self, path: str, idempotency_key: str) -> None:
        """Removes the question of a call that was given up: while it has a key, closing its connection does not."""
        try:
            await self.call("DELETE", path, reads=True, timeout=remove_within_s, idempotency_key=idempotency_key)
        except PerchError:
            pass  # The service removes it 15 s after the break.

    async def _once(
        self,
        method: str,
        path: str,
        body: Optional[bytes],
        headers: Dict[str, str],
        deadline: Deadline,
        promised: Mapping[str, type],
        *,
        fresh: bool,
    ) -> Dict[str, Any]:
        begun = time.monotonic()
        # A question must not meet a connection that the service is just closing: it cannot be sent again.
        connection = await self._connection(deadline, reuse=not fresh)
        whole = False
        response: Optional[Response] = None

        async def exchange() -> bytes:
            nonlocal response
            response = await connection.request(method, self.connections.before_path + path, body, headers)
            return await response.read(_answer_bytes_max)

        try:
            text = await asyncio.wait_for(exchange(), max(0.001, deadline.left))
            assert response is not None
            whole = response.keeps_connection
        except (asyncio.TimeoutError, *_broken) as error:
            raise lost(error, response) from error
        finally:
            # Closed as well if the task was cancelled, which removes a pending question.
            if whole:
                self.connections.give_back(connection)
            else:
                connection.close()
        log_call(method, path, response.status, response.headers.get("x-request-id"), begun)
        return self._answer(response, text, promised)

    async def open_stream(self, path: str, headers: Dict[str, str], silence_s: float) -> Tuple[Connection, Response]:
        """Opens a stream on a connection of its own."""
        deadline = Deadline(silence_s)
        await _sleep(self._throttle.take(1), deadline)
        connection = await self._connection(deadline, reuse=False)
        try:
            asked = connection.request("GET", self.connections.before_path + path, None, {**self.headers, **headers, "accept": "text/event-stream"})
            response = await asyncio.wait_for(asked, deadline.left)
            if response.status != 200:
                self._answer(response, await asyncio.wait_for(response.read(_answer_bytes_max), max(0.001, deadline.left)))
            if not response.headers.get("content-type", "").startswith("text/event-stream"):
                raise PerchError(
                    "bad_answer", "The response is not an event stream.", status=response.status, request_id=response.headers.get("x-request-id")
                )
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

    def _answer(self, response: Response, text: bytes, promised: Mapping[str, type] = nothing) -> Dict[str, Any]:
        self._throttle.learn(response.headers.get("ratelimit-policy"), response.headers.get("ratelimit"))
        return answer_of(response.status, text, response.headers, promised)


def lost(error: BaseException, response: Optional[Response] = None) -> PerchError:
    """Returns the exception for a connection that broke before the whole response. `response`: what had come of it."""
    status, request_id = (None, None) if response is None else (response.status, response.headers.get("x-request-id"))
    if isinstance(error, TooLong):
        return PerchError("bad_answer", str(error), status=status, request_id=request_id)
    if isinstance(error, asyncio.TimeoutError):
        return TimedOut("The service did not answer within the timeout of the call.", status=status, request_id=request_id)
    return NoAnswer(f"The service did not answer ({str(error) or type(error).__name__}).", status=status, request_id=request_id)


async def _sleep(seconds: float, deadline: Deadline) -> None:
    """Sleeps. Raises TimedOut if the deadline is earlier."""
    waited = min(seconds, deadline.left)
    if waited > 0:
        await asyncio.sleep(waited)
    if waited < seconds:
        raise TimedOut("The call took longer than its timeout: too many calls with this key are waiting for the rate limit.")
