"""Exceptions of the client."""

from __future__ import annotations

import re
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Any, Dict, List, Mapping, Optional, Tuple, Type
from urllib.parse import urlsplit


class PerchError(Exception):
    """A failed call. The message says what is wrong, where, and what to do.

    code: stable code of the service, such as ``bad_argument`` or ``robot_offline``, or of the client: ``unreachable``,
        ``no_answer`` and ``bad_answer`` (the response is not from a Perch service, such as a proxy's error page).
    status: HTTP status; None if there was no response.
    argument: path of the argument at fault, such as ``regions[2].polygon``.
    retry_after: seconds to wait before retrying, from the header `Retry-After`.
    request_id: identifies the call in the service's logs.
    next: what to do next, where the service has more to say than the message does.
    results: for a scene, the responses of the actions before the one that failed, in order.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        status: Optional[int] = None,
        argument: Optional[str] = None,
        retry_after: Optional[float] = None,
        request_id: Optional[str] = None,
        next: Optional[str] = None,
        results: Optional[List[Dict[str, Any]]] = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.status = status
        self.argument = argument
        self.retry_after = retry_after
        self.request_id = request_id
        self.next = next
        self.results = results

    def __reduce__(self) -> Tuple[Any, ...]:
        # By default an exception is made again from its message alone, so that a process pool would wait for ever.
        return _unpickled, (type(self), str(self), self.__dict__)


def _unpickled(kind: Type[PerchError], message: str, fields: Dict[str, Any]) -> PerchError:
    error = kind.__new__(kind)
    Exception.__init__(error, message)
    error.__dict__.update(fields)
    return error


class Unreachable(PerchError):
    """No connection was established, so nothing was sent."""

    def __init__(self, message: str) -> None:
        super().__init__("unreachable", message)


class NoAnswer(PerchError):
    """There was no complete response. The service may have executed the call."""

    def __init__(self, message: str, *, status: Optional[int] = None, request_id: Optional[str] = None) -> None:
        super().__init__("no_answer", message, status=status, request_id=request_id)


class TimedOut(NoAnswer):
    """The call took longer than its `timeout`. Its connection is closed, which removes a pending question."""


class Cancelled(Exception):
    """The call was cancelled by its `Cancel`. Its connection is closed, which removes a pending question."""


def failure_of(status: int, answer: Any, headers: Mapping[str, str]) -> PerchError:
    """Returns the error for a failed response, or one that is not from a Perch service.

    answer: its JSON, or None if the body is not JSON. headers: with names in lower case.
    """
    retry_after = seconds_of(headers.get("retry-after", ""))
    request_id = headers.get("x-request-id")
    if not isinstance(answer, dict) or not isinstance(answer.get("code"), str) or not isinstance(answer.get("error"), str):
        message = f"The response with status {status} is not from a Perch service; check base_url and any proxies."
        if status == 429:
            message = "A proxy refused the call with status 429 (too many requests), not the Perch service: call it less often, or have its limit raised."
        if 300 <= status < 400:
            message = f"The response redirects{_origin(headers.get('location', ''))}, and the client does not follow: set base_url to where the service is."
        return PerchError("bad_answer", message, status=status, retry_after=retry_after, request_id=request_id)
    return PerchError(
        answer["code"],
        answer["error"],
        status=status,
        argument=answer.get("field"),
        retry_after=retry_after,
        request_id=answer.get("request_id") or request_id,
        next=answer.get("next"),
        results=answer.get("results"),
    )


def seconds_of(retry_after: str) -> Optional[float]:
    """Returns the seconds of a header `Retry-After`, which is a number or a date (RFC 9110, 10.2.3); None if it is neither."""
    if re.fullmatch(r"[0-9]+", retry_after):
        return float(retry_after)
    if not re.match(r"[A-Za-z]{3}", retry_after):
        return None
    try:
        at = parsedate_to_datetime(retry_after)
    except (TypeError, ValueError, IndexError):
        return None
    at = at if at.tzinfo else at.replace(tzinfo=timezone.utc)
    return max(0.0, (at - datetime.now(timezone.utc)).total_seconds())


def _origin(location: str) -> str:
    """Returns " to" and the origin of an absolute URL, without what may be secret in it."""
    try:
        url = urlsplit(location)
        port = f":{url.port}" if url.port else ""
    except ValueError:
        return ""
    return f" to {url.scheme}://{url.hostname}{port}" if url.scheme in ("http", "https") and url.hostname else ""
