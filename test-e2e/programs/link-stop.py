# SPDX-License-Identifier: Apache-2.0
"""`micropython link-stop.py PROGRAM`: the service answers a close at once.

The link stops all the same: after an update the robot restarts only then.
"""

import asyncio
import sys

sys.path.insert(0, sys.argv[1])

from perch import link as module
from perch.ws import Closed


class Socket:
    """`receive` has ended, and `run` has returned, before `close` does."""

    def __init__(self):
        self.receiving = asyncio.Event()
        self.closed = asyncio.Event()
        self.ended = False

    async def receive(self):
        self.receiving.set()
        await self.closed.wait()
        raise Closed(1000)

    async def close(self, _code, _reason):
        self.closed.set()
        await over.wait()

    def send_text(self, _text):
        pass

    def end(self):
        self.ended = True


class WebSocket:
    @staticmethod
    async def open(*_):
        return socket


class Host:
    async def before_dial(self):
        pass

    def hello(self, _dial, _reason):
        return {}

    def tell(self, _event, **_fields):
        pass


async def run():
    print(await link.run())
    over.set()


async def main():
    asyncio.create_task(run())
    await socket.receiving.wait()
    await link.stop()
    print("done" if socket.ended else "not ended")


module.WebSocket = WebSocket
over = asyncio.Event()
socket = Socket()
link = module.Link(Host(), {})
asyncio.run(main())
