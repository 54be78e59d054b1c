"""Exceptions of the client."""

from __future__ import annotations

from typing import Any, Dict, List, Optional


class PerchError(Exception):
    """A failed call. The message says what is wrong, where, and what to do.

    code: stable code of the service, such as ``bad_argument`` or ``robot_offline``, or of the client: ``unreachable``,
        ``no_answer`` and ``bad_answer`` (the response is not from a Perch service, such as a proxy's error page).
    status: HTTP status; None if there was no response.
    argument: path of the argument at fault, such as ``regions[2].polygon``.
    retry_after: seconds to wait before retrying, from the header `Retry-After`.
    request_id: identifies the call in the service's logs.
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
        results: Optional[List[Dict[str, Any]]] = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.status = status
        self.argument = argument
        self.retry_after = retry_after
        self.request_id = request_id
        self.results = results


class Unreachable(PerchError):
    """No connection was established, so nothing was sent."""

    def __init__(self, message: str) -> None:
        super().__init__("unreachable", message)


class NoAnswer(PerchError):
    """There was no complete response. The service may have executed the call."""

    def __init__(self, message: str) -> None:
        super().__init__("no_answer", message)


class TimedOut(NoAnswer):
    """The call took longer than its `timeout`. Its connection is closed, which removes a pending question."""


class Cancelled(Exception):
    """The call was cancelled by its `Cancel`. Its connection is closed, which removes a pending question."""


def failure_of(status: int, answer: Any, retry_after: Optional[float]) -> PerchError:
    """Returns the error for a failed response. `answer` is its JSON, or None if the body is not JSON."""
    if not isinstance(answer, dict) or not isinstance(answer.get("code"), str):
        return PerchError("bad_answer", f"The response with status {status} is not from a Perch service.", status=status, retry_after=retry_after)
    return PerchError(
        answer["code"],
        str(answer.get("error", answer["code"])),
        status=status,
        argument=answer.get("field"),
        retry_after=retry_after,
        request_id=answer.get("request_id"),
        results=answer.get("results"),
    )
