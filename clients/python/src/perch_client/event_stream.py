"""Reads a robot's events as they happen, and resumes broken streams."""

from __future__ import annotations

import json
from contextlib import closing, nullcontext
from http.client import HTTPException, HTTPResponse
from typing import Any, Dict, Generator, Iterator, Optional, Tuple, Union, cast

from .cancel import Cancel
from .connections import Deadline, hang_up
from .errors import NoAnswer, PerchError, failure_of
from .retry import backoff_s
from .transport import Transport
from .types import Event, Gap

# The service sends at least a comment every 15 s.
silence_s = 45.0
_line_bytes_max = 1024 * 1024
first_tries = 4
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
        """Yields events and gaps. Raises PerchError if reconnecting is useless, or if the first connection failed after several tries."""
        failures = 0
        begun = False
        while True:
            try:
                with closing(self._one()) as records:
                    for record in records:
                        begun, failures = True, 0
                        if record is not None:
                            yield record
                failure: PerchError = NoAnswer("The stream ended.")
            except PerchError as error:
                if error.code not in transient_codes or (not begun and failures >= first_tries - 1):
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
                        raise failure_of(200, data, None)
        except (OSError, HTTPException, ValueError) as error:
            raise self._transport.lost(error, Deadline(1), self._cancel) from error
        finally:
            connection.close()

    def _lines(self, response: HTTPResponse) -> Iterator[bytes]:
        while True:
            line = response.readline(_line_bytes_max)
            if not line and self._cancel is not None:
                self._cancel.raise_if_cancelled()
            if not line:
                return
            yield line


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
            raise NoAnswer("The stream broke off in a line, or the line is too long.")
        text = line.decode("utf-8").rstrip("\r\n")
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
        self._last_id = fields.get("id", self._last_id)
        return (fields.get("event", "message"), json.loads(fields["data"])) if "data" in fields else None
