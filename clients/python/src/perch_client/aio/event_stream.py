"""Reads a robot's events as they happen, and resumes broken streams."""

from __future__ import annotations

import asyncio
from typing import AsyncIterator, Optional, Union, cast

from ..errors import NoAnswer, PerchError, failure_of
from ..event_stream import Records, may_resume, silence_s
from ..retry import FailedTries, Repeatable, backoff_s
from ..types import Event, Gap
from .connections import BrokenResponse
from .transport import Transport, lost


class EventStream:
    """Reads streams one after another, each from the last id of the previous one, so that each event is yielded once."""

    def __init__(self, transport: Transport, path: str) -> None:
        self._transport = transport
        self._path = path
        self._records = Records()

    async def records(self) -> AsyncIterator[Union[Event, Gap]]:
        """Yields events and gaps. Raises PerchError if reconnecting is useless, or if the first connection failed as other reads do."""
        failures = 0
        begun = False
        first = FailedTries(Repeatable(reads=True, keyed=False, waits=False), self._transport.retries)
        while True:
            try:
                async for record in self._one():
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
            await asyncio.sleep((failure.retry_after or 0.0) + backoff_s(failures, self._records.retry_s))

    async def _one(self) -> AsyncIterator[Optional[Union[Event, Gap]]]:
        """Yields the records of one stream, and None when the stream has begun."""
        connection, response = await self._transport.open_stream(self._path, self._records.begin(), silence_s)
        try:
            yield None
            while True:
                line = await asyncio.wait_for(response.readline(), silence_s)
                if not line:
                    return
                found = self._records.take(line)
                if found is None:
                    continue
                name, data = found
                if name == "message":
                    yield cast(Event, data)
                elif name == "gap":
                    yield Gap(after=data["after"], next=data["next"])
                elif name == "end":
                    raise failure_of(200, data, {})
        except (OSError, EOFError, BrokenResponse, asyncio.TimeoutError) as error:
            raise lost(error) from error
        finally:
            connection.close()
