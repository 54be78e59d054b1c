"""Makes calls with `perch_client`, without asyncio or with it (`aio`), and prints what came of each: a JSON object a line in and out."""

from __future__ import annotations

import asyncio
import inspect
import json
import sys
import threading
from typing import Any, Dict

from perch_client import Cancel, Cancelled, Perch, PerchError, aio

calls = {
    "say": lambda perch, options, args: perch.robot(args.get("robot", "r-1")).say("Hello", **options),
    "speak": lambda perch, options, args: perch.robot("r-1").speak("Hello", **options),
    "ask": lambda perch, options, args: perch.robot("r-1").ask("Deploy?", ["yes", "no"], timeout_s=60, **options),
    "scene": lambda perch, options, args: perch.robot("r-1").scene([{"action": "face", "emotion": "happy", "at_ms": 500}], **options),
    "state": lambda perch, options, args: perch.robot("r-1").state(**options),
    "screen": lambda perch, options, args: perch.robot("r-1").screen(**options),
    "read_events": lambda perch, options, args: perch.robot("r-1").read_events(**options),
    "robots": lambda perch, options, args: perch.robots(**options),
    "upload": lambda perch, options, args: perch.upload_picture(b"\x89P", **options),
    "activity": lambda perch, options, args: perch.activity(**options),
    "usage": lambda perch, options, args: perch.usage(**options),
    "icons": lambda perch, options, args: perch.icons(**options),
    "wait": lambda perch, options, args: perch.wait(args.get("wait", "wt-1"), **options),
    "group": lambda perch, options, args: perch.group(args.get("label", "all")).act("face", {"emotion": "happy"}, **options),
    "new": lambda perch, options, args: None,
}
asynchronous = sys.argv[1:] == ["aio"]
cancels: Dict[int, Any] = {}


def outcome_of(error: BaseException) -> Dict[str, Any]:
    if isinstance(error, (Cancelled, asyncio.CancelledError)):
        return {"aborted": True}
    if not isinstance(error, PerchError):
        return {"refused": isinstance(error, ValueError), "message": f"{type(error).__name__}: {error}"}
    return {
        "code": error.code,
        "status": error.status or 0,
        "requestId": error.request_id,
        "retryAfterS": error.retry_after,
        "message": str(error),
    }


def options_of(command: Dict[str, Any]) -> Dict[str, Any]:
    options: Dict[str, Any] = {"timeout": command["timeoutS"]} if "timeoutS" in command else {}
    if command.get("retry"):
        options["retry"] = True
    if "idempotencyKey" in command:
        options["idempotency_key"] = command["idempotencyKey"]
    return options


def client_of(command: Dict[str, Any], kind: Any) -> Any:
    options = {"max_retries": command["maxRetries"]} if "maxRetries" in command else {}
    return kind(command["base"], command.get("key", "pk_secret"), **options)


def tell(command: Dict[str, Any], outcome: Dict[str, Any]) -> None:
    sys.stdout.write(json.dumps({"id": command["id"], **outcome}, default=lambda value: value.decode("latin-1")) + "\n")
    sys.stdout.flush()


def play(command: Dict[str, Any], cancel: Cancel) -> None:
    seqs = []
    try:
        perch = client_of(command, Perch)
        if command["call"] == "events":
            for event in perch.robot("r-1").events(command.get("after", 0), cancel=cancel):
                seqs.append(event["seq"])
        value = calls[command["call"]](perch, {**options_of(command), "cancel": cancel}, command)
        tell(command, {"value": value})
    except BaseException as error:
        tell(command, {**({"seqs": seqs} if command["call"] == "events" else {}), **outcome_of(error)})


async def play_aio(command: Dict[str, Any]) -> None:
    seqs = []
    try:
        perch = client_of(command, aio.Perch)
        if command["call"] == "events":
            async for event in perch.robot("r-1").events(command.get("after", 0)):
                seqs.append(event["seq"])
        value = calls[command["call"]](perch, options_of(command), command)
        tell(command, {"value": await value if inspect.isawaitable(value) else value})
    except BaseException as error:
        tell(command, {**({"seqs": seqs} if command["call"] == "events" else {}), **outcome_of(error)})


async def main_aio() -> None:
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=1 << 24)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while True:
        line = await reader.readline()
        if not line:
            return
        command = json.loads(line)
        if command.get("abort"):
            cancels[command["id"]].cancel()
        else:
            cancels[command["id"]] = asyncio.ensure_future(play_aio(command))


def main() -> None:
    for line in sys.stdin:
        command = json.loads(line)
        if command.get("abort"):
            cancels[command["id"]].cancel()
        else:
            cancels[command["id"]] = Cancel()
            threading.Thread(target=play, args=(command, cancels[command["id"]]), daemon=True).start()


if asynchronous:
    asyncio.run(main_aio())
else:
    main()
