"""Sends calls, reads responses, and retries where it is safe."""

from __future__ import annotations

import logging
import ssl
import time
from contextlib import nullcontext
from http.client import HTTPConnection, HTTPException, HTTPResponse, IncompleteRead
from typing import Any, Dict, Mapping, Optional, Tuple, Union

from .calls import answer_of, headers_of, path_of, request_of
from .cancel import Cancel
from .connections import Connections, Deadline, hang_up, read_until
from .errors import Cancelled, NoAnswer, PerchError, TimedOut, Unreachable
from .retry import FailedTries, may_be_open, persists_s, remove_within_s
from .throttle import Throttle
from .version import version

user_agent = f"perch-client-python/{version}"
log = logging.getLogger("perch_client")
nothing: Mapping[str, type] = {}
# The largest response is a state with its events, about 100 KB.
_answer_bytes_max = 16 * 1024 * 1024


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

    def call(
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
        cancel: Optional[Cancel] = None,
    ) -> Dict[str, Any]:
        """Returns the JSON of the response, whose `ok` is true.

        body: sent as JSON, or the bytes of a picture.
        reads: whether the call only reads, or may be repeated like one that does.
        waits: whether the request stays open until a person taps.
        cost: number of actions it counts for in the key's rate limit.
        timeout: seconds for all tries together.
        promised: as for `answer_of`.
        removal: for a question that is asked again for as long as the service keeps it open, the path at which it is removed.
        """
        persists = removal is not None
        headers, content, repeatable = request_of(
            self.headers, body, reads=reads, waits=waits, persists=persists, idempotency_key=idempotency_key, retries=self.retries
        )
        deadline = Deadline(min(timeout, persists_s) if persists else timeout)
        failed = FailedTries(repeatable, self.retries)
        sent = False
        try:
            while True:
                _sleep(self._throttle.take(cost), deadline, cancel)
                was_sent, sent, sent_at = sent, True, time.monotonic()
                try:
                    return self._once(method, path, content, headers, deadline, cancel, promised, fresh=waits)
                except PerchError as error:
                    sent = was_sent if error.code == "unreachable" else may_be_open(error)
                    pause = failed.retry_in_s(error, sent_at, time.monotonic())
                    if pause is None or pause > deadline.left:
                        raise
                _sleep(pause, deadline, cancel)
        except BaseException:
            if removal is not None and sent:
                self._remove(removal, headers["idempotency-key"])
            raise

    def _remove(self, path: str, idempotency_key: str) -> None:
        """Removes the question of a call that was given up: while it has a key, closing its connection does not."""
        try:
            self.call("DELETE", path, reads=True, timeout=remove_within_s, idempotency_key=idempotency_key)
        except PerchError:
            pass  # The service removes it 15 s after the break.

    def _once(
        self,
        method: str,
        path: str,
        body: Optional[bytes],
        headers: Dict[str, str],
        deadline: Deadline,
        cancel: Optional[Cancel],
        promised: Mapping[str, type],
        *,
        fresh: bool,
    ) -> Dict[str, Any]:
        begun = time.monotonic()
        try:
            # A question must not meet a connection that the service is just closing: it cannot be sent again.
            connection = self.connections.dial(deadline) if fresh else self.connections.take(deadline)
        except OSError as error:
            raise self.lost(error, deadline, cancel, sent=False) from error
        response: Optional[HTTPResponse] = None
        whole = False
        try:
            with cancel.hanging_up(lambda: hang_up(connection)) if cancel else nullcontext():
                connection.sock.settimeout(max(0.001, deadline.left))
                read_until(connection, lambda: deadline.left)
                connection.request(method, self.connections.before_path + path, body, headers)
                response = connection.getresponse()
                text = _read(response)
                whole = response.isclosed() and not response.will_close
        except (OSError, HTTPException) as error:
            raise self.lost(error, deadline, cancel, response=response) from error
        finally:
            if whole:
                self.connections.give_back(connection)
            else:
                close(connection, response)
        log_call(method, path, response.status, response.getheader("x-request-id"), begun)
        return self.answer_of(response, text, promised)

    def answer_of(self, response: HTTPResponse, text: bytes, promised: Mapping[str, type] = nothing) -> Dict[str, Any]:
        headers = {name.lower(): value for name, value in response.getheaders()}
        self._throttle.learn(headers.get("ratelimit-policy"), headers.get("ratelimit"))
        return answer_of(response.status, text, headers, promised)

    def open_stream(self, path: str, headers: Dict[str, str], silence_s: float, cancel: Optional[Cancel]) -> Tuple[HTTPConnection, HTTPResponse]:
        """Opens a stream on a connection of its own. Reading fails if nothing is received for `silence_s`."""
        deadline = Deadline(silence_s)
        _sleep(self._throttle.take(1), deadline, cancel)
        try:
            connection = self.connections.dial(deadline)
        except OSError as error:
            raise self.lost(error, deadline, cancel, sent=False) from error
        response: Optional[HTTPResponse] = None
        try:
            with cancel.hanging_up(lambda: hang_up(connection)) if cancel else nullcontext():
                connection.sock.settimeout(silence_s)
                connection.request("GET", self.connections.before_path + path, headers={**self.headers, **headers, "accept": "text/event-stream"})
                response = connection.getresponse()
                if response.status != 200:
                    self.answer_of(response, _read(response))
                if not response.getheader("content-type", "").startswith("text/event-stream"):
                    raise PerchError(
                        "bad_answer", "The response is not an event stream.", status=response.status, request_id=response.getheader("x-request-id")
                    )
                return connection, response
        except BaseException as error:
            close(connection, response)
            if isinstance(error, (OSError, HTTPException)):
                raise self.lost(error, deadline, cancel, response=response) from error
            raise

    def lost(
        self, error: Exception, deadline: Deadline, cancel: Optional[Cancel], sent: bool = True, response: Optional[HTTPResponse] = None
    ) -> Exception:
        """Returns the exception for a broken connection: the call was cancelled, took too long, or has no response. `response`: one that broke off."""
        if cancel is not None and cancel.cancelled:
            return Cancelled("The call was cancelled.")
        why = str(error) or type(error).__name__
        if not sent:
            return Unreachable(f"The service cannot be reached ({why}).")
        status, request_id = (None, None) if response is None else (response.status, response.getheader("x-request-id"))
        if isinstance(error, TooLong):
            return PerchError("bad_answer", str(error), status=status, request_id=request_id)
        if deadline.left == 0:
            return TimedOut("The service did not answer within the timeout of the call.", status=status, request_id=request_id)
        return NoAnswer(f"The service did not answer ({why}).", status=status, request_id=request_id)


class TooLong(HTTPException):
    def __init__(self) -> None:
        super().__init__("The response is too long to be from a Perch service.")


def close(connection: HTTPConnection, response: Optional[HTTPResponse]) -> None:
    # A response without a length outlives its connection.
    if response is not None:
        response.close()
    connection.close()


def _read(response: HTTPResponse) -> bytes:
    if response.length is not None and response.length > _answer_bytes_max:
        raise TooLong
    length = response.length
    text = response.read(_answer_bytes_max + 1)
    if len(text) > _answer_bytes_max:
        raise TooLong
    # With a limit, `read` returns what came before the connection broke as if it were all.
    if length is not None and len(text) < length:
        raise IncompleteRead(text, length - len(text))
    return text


def log_call(method: str, path: str, status: int, request_id: Optional[str], begun: float) -> None:
    """Tells the logger `perch_client` of a response; never a key, a text or an answer."""
    log.debug("%s %s: status %d after %.0f ms, request %s", method, path, status, (time.monotonic() - begun) * 1000, request_id)


def _sleep(seconds: float, deadline: Deadline, cancel: Optional[Cancel]) -> None:
    """Sleeps. Raises TimedOut if the deadline is earlier."""
    waited = min(seconds, deadline.left)
    (cancel or Cancel()).wait(waited)
    if waited < seconds:
        raise TimedOut("The call took longer than its timeout: too many calls with this key are waiting for the rate limit.")
