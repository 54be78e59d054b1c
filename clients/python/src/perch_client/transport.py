"""Sends calls, reads responses, and retries where it is safe."""

from __future__ import annotations

import ssl
from contextlib import nullcontext
from http.client import HTTPConnection, HTTPException, HTTPResponse
from typing import Any, Dict, Mapping, Optional, Tuple, Union

from .calls import answer_of, path_of, request_of
from .cancel import Cancel
from .connections import Connections, Deadline, hang_up
from .errors import Cancelled, NoAnswer, PerchError, TimedOut, Unreachable
from .retry import retry_in_s
from .throttle import Throttle

user_agent = "perch-client-python/0.11.0"
# The largest response is a state with its events, about 100 KB.
_answer_bytes_max = 16 * 1024 * 1024


class Transport:
    def __init__(self, base_url: str, api_key: str, *, retries: int, ssl_context: Optional[ssl.SSLContext]) -> None:
        self.connections = Connections(base_url, ssl_context)
        self.headers = {"authorization": f"Bearer {api_key}", "user-agent": user_agent}
        self._retries = retries
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
        cancel: Optional[Cancel] = None,
    ) -> Dict[str, Any]:
        """Returns the JSON of the response, whose `ok` is true.

        body: sent as JSON, or the bytes of a picture.
        reads: whether the call only reads, or may be repeated like one that does.
        waits: whether the request stays open until a person taps.
        cost: number of actions it counts for in the key's rate limit.
        timeout: seconds for all tries together.
        """
        headers, sent, repeatable = request_of(
            self.headers, body, reads=reads, waits=waits, idempotency_key=idempotency_key, retries=self._retries
        )
        deadline = Deadline(timeout)
        tries = 0
        while True:
            _sleep(self._throttle.take(cost), deadline, cancel)
            try:
                return self._once(method, path, sent, headers, deadline, cancel)
            except PerchError as error:
                tries += 1
                pause = retry_in_s(error, repeatable, tries)
                if pause is None or tries > self._retries or pause > deadline.left:
                    raise
            _sleep(pause, deadline, cancel)

    def _once(
        self, method: str, path: str, body: Optional[bytes], headers: Dict[str, str], deadline: Deadline, cancel: Optional[Cancel]
    ) -> Dict[str, Any]:
        try:
            connection = self.connections.take(deadline)
        except OSError as error:
            raise self.lost(error, deadline, cancel, sent=False) from error
        whole = False
        try:
            with cancel.hanging_up(lambda: hang_up(connection)) if cancel else nullcontext():
                connection.sock.settimeout(max(0.001, deadline.left))
                connection.request(method, path, body, headers)
                response = connection.getresponse()
                text = _read(response)
                whole = response.isclosed() and not response.will_close
        except (OSError, HTTPException) as error:
            raise self.lost(error, deadline, cancel) from error
        finally:
            if whole:
                self.connections.give_back(connection)
            else:
                connection.close()
        return self.answer_of(response, text)

    def answer_of(self, response: HTTPResponse, text: bytes) -> Dict[str, Any]:
        self._throttle.learn(response.getheader("ratelimit-policy"), response.getheader("ratelimit"))
        return answer_of(response.status, text, response.getheader("retry-after", ""))

    def open_stream(self, path: str, headers: Dict[str, str], silence_s: float, cancel: Optional[Cancel]) -> Tuple[HTTPConnection, HTTPResponse]:
        """Opens a stream on a connection of its own. Reading fails if nothing is received for `silence_s`."""
        deadline = Deadline(silence_s)
        _sleep(self._throttle.take(1), deadline, cancel)
        try:
            connection = self.connections.dial(deadline)
        except OSError as error:
            raise self.lost(error, deadline, cancel, sent=False) from error
        try:
            with cancel.hanging_up(lambda: hang_up(connection)) if cancel else nullcontext():
                connection.sock.settimeout(silence_s)
                connection.request("GET", path, headers={**self.headers, **headers, "accept": "text/event-stream"})
                response = connection.getresponse()
                if response.status != 200:
                    self.answer_of(response, _read(response))
                if not response.getheader("content-type", "").startswith("text/event-stream"):
                    raise PerchError("bad_answer", "The response is not an event stream.", status=response.status)
                return connection, response
        except BaseException as error:
            connection.close()
            if isinstance(error, (OSError, HTTPException)):
                raise self.lost(error, deadline, cancel) from error
            raise

    def lost(self, error: Exception, deadline: Deadline, cancel: Optional[Cancel], sent: bool = True) -> Exception:
        """Returns the exception for a broken connection: the call was cancelled, took too long, or has no response."""
        if cancel is not None and cancel.cancelled:
            return Cancelled("The call was cancelled.")
        why = str(error) or type(error).__name__
        if not sent:
            return Unreachable(f"The service cannot be reached ({why}).")
        if deadline.left == 0:
            return TimedOut("The service did not answer within the timeout of the call.")
        return NoAnswer(f"The service did not answer ({why}).")


def _read(response: HTTPResponse) -> bytes:
    if response.length is not None and response.length > _answer_bytes_max:
        raise HTTPException(f"a response of {response.length} bytes is not from a Perch service")
    return response.read()


def _sleep(seconds: float, deadline: Deadline, cancel: Optional[Cancel]) -> None:
    """Sleeps. Raises TimedOut if the deadline is earlier."""
    waited = min(seconds, deadline.left)
    (cancel or Cancel()).wait(waited)
    if waited < seconds:
        raise TimedOut("The call took longer than its timeout: too many calls with this key are waiting for the rate limit.")
