"""The official Python SDK, with the protocol of driver.mjs.

ABOUT = {"name": "MCP Python SDK", "versions": [{"mcp": "2.3.0"}], "faults": {"two processes, one login": "the process that read the tokens of the other asks the user again after an hour in place of refreshing (modelcontextprotocol/python-sdk#3250)"}}
"""

import asyncio
import json
import os
import sys
import time
from contextlib import AsyncExitStack
from urllib.parse import parse_qs, urlsplit

from mcp.client.auth import OAuthClientProvider, TokenStorage
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthClientMetadata, OAuthToken

allowed = {}
calls = {}
state = {}


def send(message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


class Folder(TokenStorage):
    """Keeps everything in a folder, which processes share."""

    def __init__(self, folder):
        os.makedirs(folder, exist_ok=True)
        self.folder = folder

    def _kept(self, name, kind):
        path = os.path.join(self.folder, name)
        if not os.path.exists(path):
            return None
        with open(path) as file:
            return kind.model_validate_json(file.read())

    def _keep(self, name, value):
        path = os.path.join(self.folder, name)
        with open(f"{path}.{os.getpid()}", "w") as file:
            file.write(value.model_dump_json())
        os.replace(f"{path}.{os.getpid()}", path)

    async def get_tokens(self):
        return self._kept("tokens.json", OAuthToken)

    async def set_tokens(self, tokens):
        self._keep("tokens.json", tokens)

    async def get_client_info(self):
        return self._kept("client.json", OAuthClientInformationFull)

    async def set_client_info(self, client_info):
        self._keep("client.json", client_info)


def oauth_in(url, folder, callback):
    asked = {}

    async def redirect(address):
        asked["answer"] = asyncio.get_running_loop().create_future()
        allowed["allow-1"] = asked["answer"]
        send({"allow": address, "id": "allow-1"})

    async def returned():
        back = parse_qs(urlsplit(await asked["answer"]).query)
        first = {name: values[0] for name, values in back.items()}
        return AuthorizationCodeResult(code=first["code"], state=first.get("state"), iss=first.get("iss"))

    metadata = OAuthClientMetadata(client_name="Bench", redirect_uris=[callback])
    return OAuthClientProvider(url, metadata, Folder(folder), redirect, returned)


async def serve(url, key, folder, callback, ready):
    """The connection lives in one task, as its scopes of cancellation demand."""
    try:
        async with AsyncExitStack() as stack:
            headers = None if key is None else {"Authorization": f"Bearer {key}"}
            auth = None if folder is None else oauth_in(url, folder, callback)
            http = await stack.enter_async_context(create_mcp_http_client(headers=headers, auth=auth))
            client = await stack.enter_async_context(Client(streamable_http_client(url, http_client=http)))
            state["client"] = client
            ready.set_result(None)
            await state["closed"].wait()
    except BaseException as error:
        if ready.done():
            raise
        ready.set_exception(RuntimeError(words(error)))


def words(error):
    inner = getattr(error, "exceptions", None)
    return words(inner[0]) if inner else f"{type(error).__name__}: {error}"


async def connect(url, key=None, folder=None, callback=None, **_):
    state["closed"] = asyncio.Event()
    ready = asyncio.get_running_loop().create_future()
    state["task"] = asyncio.create_task(serve(url, key, folder, callback, ready))
    await ready


async def list_tools(**_):
    return [{"name": tool.name} for tool in (await state["client"].list_tools()).tools]


async def call(tool, args, **_):
    result = await state["client"].call_tool(tool, args)
    return {"answer": result.structured_content, "isError": bool(result.is_error)}


async def close(**_):
    if "closed" in state:
        state["closed"].set()
        await asyncio.wait([state["task"]], timeout=5)


async def later(ms, **_):
    """Sets the clock of this process forward."""
    now = time.time
    time.time = lambda: now() + ms / 1000


commands = {"later": later, "connect": connect, "list": list_tools, "call": call, "close": close}


async def answer(id, do, **rest):
    try:
        send({"id": id, "result": await commands[do](**rest)})
    except asyncio.CancelledError:
        send({"id": id, "error": "CancelledError"})
    except BaseException as error:
        send({"id": id, "error": words(error)})
    if do == "close":
        os._exit(0)


async def main():
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=1 << 24)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        request = json.loads(line)
        if request["do"] == "allowed":
            allowed[request["id"]].set_result(request["address"])
        elif request["do"] == "cancel":
            calls[request["call"]].cancel()
            send({"id": request["id"], "result": None})
        else:
            calls[request["id"]] = asyncio.create_task(answer(**request))


asyncio.run(main())
