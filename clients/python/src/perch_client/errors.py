"""What a call raises when it did not succeed."""

from __future__ import annotations

from typing import Any, Dict, List, Optional


class PerchError(Exception):
    """A call that failed. Its text says what was wrong, where, and what to do.

    code: stable, from the service's list, such as ``bad_argument`` or ``robot_offline``; of the client itself ``unreachable``,
        ``no_answer`` and ``bad_answer`` (what answered is no Perch, such as a proxy with a page of its own).
    status: of the HTTP answer; None where there was none.
    argument: path of the argument at fault, such as ``regions[2].polygon``.
    retry_after: seconds after which the service says to try again.
    request_id: names the call in the service's logs.
    results: of a scene, the answers of the actions that were done before the one that failed.
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
    """No connection came about, so that nothing was sent."""

    def __init__(self, message: str) -> None:
        super().__init__("unreachable", message)


class NoAnswer(PerchError):
    """No whole answer came; what was sent may have been done."""

    def __init__(self, message: str) -> None:
        super().__init__("no_answer", message)


class TimedOut(NoAnswer):
    """The call took longer than its `timeout`; its connection is closed, which takes a question away."""


class Cancelled(Exception):
    """The call was given up by its `Cancel`; its connection is closed, which takes a question away."""


def failure_of(status: int, answer: Any, retry_after: Optional[float]) -> PerchError:
    """The error that an answer of the service tells of. `answer` is its JSON, or None where it had none."""
    if not isinstance(answer, dict) or not isinstance(answer.get("code"), str):
        return PerchError("bad_answer", f"The answer with status {status} is not one of a Perch service.", status=status, retry_after=retry_after)
    return PerchError(
        answer["code"],
        str(answer.get("error", answer["code"])),
        status=status,
        argument=answer.get("field"),
        retry_after=retry_after,
        request_id=answer.get("request_id"),
        results=answer.get("results"),
    )
