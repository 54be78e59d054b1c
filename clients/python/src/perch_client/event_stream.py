"""Reads a robot's events as they happen, and resumes broken streams."""

from __future__ import annotations

import json
import os
from contextlib import closing, nullcontext
from http.client import HTTPException, HTTPResponse
from typing import Any, Dict, Generator, Iterator, Optional, Tuple, Union, cast

from .cancel import Cancel
from .connections import Deadline, hang_up
from .errors import NoAnswer, PerchError, failure_of
from .retry import FailedTries, Repeatable, backoff_s, longest_wait_s
from .transport import Transport, close
from .types import Event, Gap

# The service sends at least a comment every 15 s.
silence_s = 45.0
line_bytes_max = 1024 * 1024
# Errors after which the stream is resumed: the key, the robot and the arguments are still valid.
transient_codes = frozenset(("draining", "service_unavailable", "rate_limited", "internal", "unreachable", "no_answer", "bad_answer"))


class EventStream:
    """Reads streams one after another, each from the last id of the previous one, so that each event is yielded once."""

    def __init__(self, transport: Transport, path: str, cancel: Optional[Cancel]) -> None:
        self._transport = transport
        self._path = path
        self._cancel = cancel
        self._records = Records()

    def records(self) -> Iterator[Union[Event, Gap]]:
        """Yields events and gaps. Raises PerchError if reconnecting is useless, or if the first connection failed as other reads do."""
        failures = 0
        begun = False
        first = FailedTries(Repeatable(reads=True, keyed=False, waits=False), self._transport.retries)
        while True:
            try:
                with closing(self._one()) as records:
                    for record in records:
                        begun, failures = True, 0
                        if record is not None:
                            yield record
                failure: PerchError = NoAnswer("The stream ended.")
            except PerchError as error:
                # As any read, until a stream has begun.
                pause = None if begun else first.retry_in_s(error, 0.0, 0.0)
                if not may_resume(error) if begun else pause is None:
                    raise
                failure = error
            failures += 1
            (self._cancel or Cancel()).wait((failure.retry_after or 0.0) + backoff_s(failures, self._records.retry_s))

    def _one(self) -> Generator[Optional[Union[Event, Gap]], None, None]:
        """Yields the records of one stream, and None when the stream has begun."""
        headers = self._records.begin()
        connection, response = self._transport.open_stream(self._path, headers, silence_s, self._cancel)
        try:
            with self._cancel.hanging_up(lambda: hang_up(connection)) if self._cancel else nullcontext():
                yield None
                for line in self._lines(response):
                    record = self._records.take(line)
                    if record is None:
                        continue
                    name, data = record
                    if name == "message":
                        yield cast(Event, data)
                    elif name == "gap":
                        yield Gap(after=data["after"], next=data["next"])
                    elif name == "end":
                        raise failure_of(200, data, {})
        except (OSError, HTTPException) as error:
            raise self._transport.lost(error, Deadline(1), self._cancel) from error
        finally:
            close(connection, response)

    def _lines(self, response: HTTPResponse) -> Iterator[bytes]:
        process = os.getpid()
        while True:
            line = response.readline(line_bytes_max)
            if process != os.getpid():
                # A forked process reads a stream of its own, not its parent's.
                raise NoAnswer("The stream belongs to the parent process.")
            if not line and self._cancel is not None:
                self._cancel.raise_if_cancelled()
            if not line:
                return
            yield line


def may_resume(error: PerchError) -> bool:
    """Returns whether another stream may succeed, and soon."""
    # Without a status, it is what a stream contained.
    is_content = error.code == "bad_answer" and error.status is None
    return error.code in transient_codes and not is_content and (error.retry_after or 0.0) <= longest_wait_s


class Records:
    """Parses server-sent events (HTML Living Standard, 9.2.6) line by line, over several streams. Ignores an incomplete record and its id."""

    def __init__(self) -> None:
        self.retry_s = 1.0
        self._last_id = ""
        self._fields: Dict[str, str] = {}

    def begin(self) -> Dict[str, str]:
        """Begins a stream. Returns the headers that make it resume after the last record."""
        self._fields = {}
        return {"last-event-id": self._last_id} if self._last_id else {}

    def take(self, line: bytes) -> Optional[Tuple[str, Any]]:
        """Takes a line. Returns the name and the data of a record that it completes."""
        if not line.endswith(b"\n"):
            if len(line) >= line_bytes_max:
                raise PerchError("bad_answer", "The event stream sent a line that is too long.")
            raise NoAnswer("The stream broke off in a line.")
        text = line.decode("utf-8", "replace").rstrip("\r\n")
        if text:
            name, _, value = text.partition(":")
            value = value[1:] if value.startswith(" ") else value
            if name == "data" and "data" in self._fields:
                value = f"{self._fields['data']}\n{value}"
            if name == "retry" and value.isdigit():
                self.retry_s = int(value) / 1000
            elif name:
                self._fields[name] = value
            return None
        fields, self._fields = self._fields, {}
        if "data" not in fields:
            self._last_id = fields.get("id", self._last_id)
            return None
        try:
            data = json.loads(fields["data"])
        except ValueError:
            raise PerchError("bad_answer", "The event stream sent a record that is not JSON.") from None
        self._last_id = fields.get("id", self._last_id)
        return fields.get("event", "message"), data
