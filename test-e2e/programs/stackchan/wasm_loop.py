# SPDX-License-Identifier: Apache-2.0
"""What the WebAssembly build of MicroPython lacks: a loop that does not wait.

In that build, JavaScript's timers run asyncio. Here one call runs all tasks
in the order of the faked clock. There are no sockets: the link is a list.
"""

import sys
import asyncio
import asyncio.core as core
import os
import random


class NoSocket:
    SOCK_DGRAM = 2


def urandom(count):
    return bytes(random.getrandbits(8) for _ in range(count))


def end(task, error):
    """Wakes whoever waits for a task that is over."""
    waiting = task.state
    if waiting is True:
        task.state = None
    elif callable(waiting):
        waiting(task, error)
        task.state = False
    elif waiting is not None:
        while waiting.peek():
            core._task_queue.push(waiting.pop())
        task.state = False
    task.data = error


def run_with(wait):
    """Returns asyncio.run, which calls `wait` with the ms until a task."""
    core._task_queue = core.TaskQueue()

    def run(coroutine):
        main = core.create_task(coroutine)
        while True:
            queue = core._task_queue
            first = queue.peek()
            if first is None:
                wait(-1)
            left = core.ticks_diff(first.ph_key, core.ticks())
            wait(max(0, left))
            task = core.cur_task = queue.pop()
            asyncio.cur_task = task
            error = task.data
            try:
                if error:
                    task.data = None
                    task.coro.throw(error)
                else:
                    task.coro.send(None)
            except (StopIteration, asyncio.CancelledError,
                    Exception) as ended:
                if task is main:
                    if isinstance(ended, StopIteration):
                        return ended.value
                    raise
                end(task, ended)
                if not isinstance(
                        ended, (StopIteration, asyncio.CancelledError)):
                    sys.print_exception(ended)

    return run


def fill_in():
    os.urandom = urandom
    sys.modules["socket"] = NoSocket
