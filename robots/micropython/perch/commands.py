# SPDX-License-Identifier: Apache-2.0
"""Runs each command once, in order; a repeated one gets the same ack."""

import asyncio
import time

from perch.args import Nack
from perch.media import Abandoned

REMEMBERED = 32
WAITING_MAX = 36
IN_FLIGHT_MAX = 4
TTL_MS = 5000


class Prepared:
    """A command with checked arguments.

    `run(job)` is a coroutine that returns the result, or None if the job is
    finished later; `drop()` releases what it expected.
    """

    def __init__(self, run, drop=None):
        self.run = run
        self.drop = drop or (lambda: None)


class Job:
    def __init__(self, queue, message, connection):
        self._queue = queue
        self.id = message["id"]
        self.ttl_ms = message.get("ttl_ms", TTL_MS)
        self.received_at = time.ticks_ms()
        self.connection = connection
        self.prepared = None
        self.error = None

    def finish(self, result):
        self._queue.answer(self, {"ok": True, "result": result})

    def refuse(self, nack):
        self._queue.answer(
            self, {"ok": False, "code": nack.code, "error": nack.message})


class Commands:
    def __init__(self, prepare, send, clock, tell, violation):
        self.prepare = prepare
        self._send = send
        self._clock = clock
        self._tell = tell
        self._violation = violation
        self._waiting = []
        self._arrived = asyncio.Event()
        self._unanswered = {}
        self._answered = []
        self._connection = 0

    def receive(self, message):
        """Returns False for a repeated command."""
        name, args = message.get("name"), message.get("args") or {}
        for ack in self._answered:
            if ack["id"] == message["id"]:
                self._tell("repeat", id=ack["id"])
                self._send(ack)
                return False
        known = self._unanswered.get(message["id"])
        if known is not None:
            self._tell("repeat", id=known.id)
            known.connection = self._connection
            return False
        job = Job(self, message, self._connection)
        self._tell("command", id=job.id, name=name, args=args,
                   ttlMs=job.ttl_ms, receivedMs=self._clock.ms())
        try:
            if len(self._waiting) >= WAITING_MAX:
                raise Nack("busy", "%d commands wait" % WAITING_MAX)
            job.prepared = self.prepare(name, args)
        except Nack as nack:
            job.error = nack
        except Exception as error:
            job.error = Nack("hardware", repr(error))
        self._unanswered[job.id] = job
        if len(self._unanswered) > IN_FLIGHT_MAX:
            self._watch_in_flight()
        self._waiting.append(job)
        self._arrived.set()
        return True

    def connection_lost(self):
        """The outcome of what waits is unknown to the service."""
        self._connection += 1
        waiting, self._waiting = self._waiting, []
        for job in waiting:
            self._drop(job, "abandoned")

    async def run(self):
        while True:
            await self._arrived.wait()
            self._arrived.clear()
            while self._waiting:
                job = self._waiting.pop(0)
                late_ms = time.ticks_diff(time.ticks_ms(), job.received_at)
                if late_ms > job.ttl_ms:
                    self._drop(job, "late")
                else:
                    await self._run(job)
                await asyncio.sleep_ms(0)

    def answer(self, job, answer):
        if self._unanswered.pop(job.id, None) is None:
            return
        ack = {"t": "ack", "id": job.id, "ms": self._clock.ms()}
        ack.update(answer)
        self._answered.append(ack)
        if len(self._answered) > REMEMBERED:
            self._answered.pop(0)
        outcome = "done" if ack["ok"] else "refused"
        self._tell("settled", id=job.id, outcome=outcome, ack=ack)
        if job.connection == self._connection:
            self._send(ack)

    async def _run(self, job):
        try:
            if job.error is not None:
                raise job.error
            result = await job.prepared.run(job)
            if result is not None:
                job.finish(result)
            return
        except Abandoned:
            self._drop(job, "abandoned")
        except Nack as nack:
            job.refuse(nack)
        except Exception as error:
            job.refuse(Nack("hardware", repr(error)))
        if job.prepared is not None:
            job.prepared.drop()

    def _drop(self, job, outcome):
        if self._unanswered.pop(job.id, None) is None:
            return
        if job.prepared is not None:
            job.prepared.drop()
        self._tell("settled", id=job.id, outcome=outcome, ack=None)

    def _watch_in_flight(self):
        now = time.ticks_ms()
        count = 0
        for job in self._unanswered.values():
            young = time.ticks_diff(now, job.received_at) <= job.ttl_ms
            if young and job.connection == self._connection:
                count += 1
        if count > IN_FLIGHT_MAX:
            self._violation("%d commands in flight" % count)
