"""Tests what Python programs and their servers do to the client. What every client must withstand is in test-e2e/scenarios/client-faults.test.ts."""

from __future__ import annotations

import asyncio
import inspect
import json
import logging
import multiprocessing
import os
import pickle
import socket
import threading
import time
import typing
import unittest
from typing import Any, Callable, Dict, Iterator, List

import perch_client
from perch_client import Event, NoAnswer, Perch, PerchError, TimedOut, Unreachable, aio

_ok = b'{"ok":true}'


def response(body: bytes = _ok, status: int = 200, **headers: str) -> bytes:
    given = {"content-length": str(len(body)), "content-type": "application/json", **{name.replace("_", "-"): value for name, value in headers.items()}}
    return (f"HTTP/1.1 {status} x\r\n" + "".join(f"{name}: {value}\r\n" for name, value in given.items()) + "\r\n").encode() + body


class Request:
    def __init__(self, head: str, body: bytes, connection: int) -> None:
        self.line, _, rest = head.partition("\r\n")
        self.headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in rest.split("\r\n") if line)}
        self.body = body
        self.connection = connection


class Server:
    """Answers each request on a thread of its connection with what `serve` writes. `serve` returns whether the connection stays open."""

    def __init__(self, serve: Callable[[Request, socket.socket], bool]) -> None:
        self.requests: List[Request] = []
        self.closed = threading.Event()
        self._serve = serve
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._open: List[socket.socket] = []
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listener.close()
        for connection in self._open:
            connection.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self._open.append(connection)
            threading.Thread(target=self._connection, args=(connection, len(self._open)), daemon=True).start()

    def _connection(self, connection: socket.socket, number: int) -> None:
        received = b""
        try:
            while True:
                while b"\r\n\r\n" not in received:
                    part = connection.recv(65536)
                    if not part:
                        return
                    received += part
                head, _, received = received.partition(b"\r\n\r\n")
                request = Request(head.decode(), b"", number)
                length = int(request.headers.get("content-length", "0"))
                while len(received) < length:
                    received += connection.recv(65536)
                request.body, received = received[:length], received[length:]
                self.requests.append(request)
                if not self._serve(request, connection):
                    return
        except OSError:
            pass
        finally:
            connection.close()
            self.closed.set()


class Faults(unittest.TestCase):
    def serving(self, serve: Callable[[Request, socket.socket], bool]) -> Server:
        server = Server(serve)
        self.addCleanup(server.close)
        return server

    def answering(self, *answers: bytes) -> Server:
        """Sends the answers in order, the last one for ever."""
        left = list(answers)

        def serve(_: Request, connection: socket.socket) -> bool:
            connection.sendall(left.pop(0) if len(left) > 1 else left[0])
            return True

        return self.serving(serve)

    def client(self, server: Server, **options: Any) -> Perch:
        perch = Perch(server.url, "pk_secret", **options)
        self.addCleanup(perch.close)
        return perch

    def failing(self, call: Callable[[], Any]) -> PerchError:
        with self.assertRaises(PerchError) as raised:
            call()
        return raised.exception


def _echo(request: Request, connection: socket.socket) -> bool:
    """Answers with the question's text, later for a question of the parent, so that answers on a shared connection would be mixed up."""
    text = json.loads(request.body)["question"] if request.body else ""
    time.sleep(0.02 if text.startswith("parent") else 0.01)
    connection.sendall(response(json.dumps({"ok": True, "answer": text}).encode()))
    return True


class Forks(Faults):
    """As gunicorn --preload, celery and multiprocessing do: a client is made, called once, and its process is forked (encode/httpx#3002, psf/requests#4323)."""

    def _asked(self, ask: Callable[[str], Any], whose: str) -> List[str]:
        wrong = []
        for number in range(20):
            text = f"{whose} {number}"
            if ask(text)["answer"] != text:
                wrong.append(text)
        return wrong

    def _both(self, ask: Callable[[str], Any]) -> None:
        reads, writes = os.pipe()
        child = os.fork()
        if child == 0:
            status = 1
            try:
                os.write(writes, json.dumps(self._asked(ask, "child")).encode())
                status = 0
            finally:
                os._exit(status)
        try:
            self.assertEqual(self._asked(ask, "parent"), [])
        finally:
            _, status = os.waitpid(child, 0)
            told = os.read(reads, 65536)
            os.close(reads)
            os.close(writes)
        self.assertEqual((status, json.loads(told)), (0, []))

    def test_parent_and_child_get_the_answers_to_their_own_questions(self) -> None:
        perch = self.client(self.serving(_echo))

        def call(text: str) -> Any:
            return perch.robot("r-1")._act("say", {"question": text}, {})

        call("first")
        self._both(call)

    def test_the_same_holds_with_asyncio_and_a_loop_of_its_own_in_each_process(self) -> None:
        server = self.serving(_echo)
        perch = aio.Perch(server.url, "pk_secret")

        async def all_of(texts: List[str]) -> List[Any]:
            try:
                return [await perch.robot("r-1")._act("say", {"question": text}, {}) for text in texts]
            finally:
                await perch.close()

        def call(text: str) -> Any:
            return asyncio.run(all_of([text, text]))[1]

        call("first")
        self._both(call)

    def test_a_client_is_used_from_a_second_event_loop(self) -> None:
        server = self.answering(response())
        perch = aio.Perch(server.url, "pk_secret")

        async def called() -> Any:
            await perch.robot("r-1").say("1")
            return await perch.robot("r-1").say("2")

        self.assertEqual(asyncio.run(_closing(perch, called)), {"ok": True})
        self.assertEqual(asyncio.run(_closing(perch, called)), {"ok": True})
        self.assertEqual([request.connection for request in server.requests], [1, 1, 2, 2])

    def test_errors_come_out_of_a_process_pool(self) -> None:
        # As multiprocessing.Pool.map, which waits for ever for an exception that cannot be made again.
        for error in (
            PerchError("bad_argument", "Said so.", status=400, argument="text", request_id="q", results=[{"ok": True}]),
            NoAnswer("Nothing came."),
            TimedOut("Too long."),
            Unreachable("Nobody is there."),
        ):
            again = pickle.loads(pickle.dumps(error))
            self.assertEqual((type(again), str(again), again.__dict__), (type(error), str(error), error.__dict__))
        server = self.answering(response(b'{"ok":false,"error":"Said so.","code":"bad_argument"}', 400))
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            self.assertEqual(self.failing(lambda: pool.map(_say, [server.url])).code, "bad_argument")


def _say(url: str) -> Any:
    with Perch(url, "pk_secret") as perch:
        return perch.robot("r-1").say("Hello")


async def _closing(perch: aio.Perch, call: Callable[[], Any]) -> Any:
    try:
        return await call()
    finally:
        await perch.close()


class Secrets(Faults):
    def test_arguments_that_no_request_can_have_are_no_lost_calls(self) -> None:
        perch = self.client(self.answering(response()))
        robot = perch.robot("r-1")
        circle: Dict[str, Any] = {}
        circle["args"] = circle
        for call in (
            lambda: robot.command("x", circle),
            lambda: robot.command("x", {"a": float("nan")}),
            lambda: Perch("http://h.example", "pk_x", headers={"x y": "z"}),
            lambda: Perch("http://h.example", "pk_x", headers={"authorization": "z"}),
            lambda: Perch("http://h.example", "pk_x", headers={"x": "z\r\ny: 1"}),
        ):
            with self.assertRaises(ValueError):
                call()
        with self.assertRaises(TypeError):
            robot.command("x", {"a": object()})

    def test_logs_name_the_call_and_its_request_and_never_the_key(self) -> None:
        server = self.answering(response(x_request_id="q-7"))
        with self.assertLogs("perch_client", logging.DEBUG) as logs:
            self.client(server).robot("r-1").say("a text")
        self.assertRegex(logs.output[0], r"POST /v1/robots/r-1/say: status 200 after \d+ ms, request q-7$")
        self.assertNotRegex("".join(logs.output), "secret|a text")


class Answers(Faults):
    def test_a_question_never_meets_a_connection_that_is_just_closing(self) -> None:
        # As behind a proxy that closes idle connections sooner than it says (nodejs/undici#1415, urllib3/urllib3#2727).
        def hasty(_: Request, connection: socket.socket) -> bool:
            connection.sendall(response(json.dumps({"ok": True, "outcome": "answered", "answer": "a", "index": 0}).encode()))
            return False

        server = self.serving(hasty)
        robot = self.client(server).robot("r-1")
        for _ in range(50):
            self.assertEqual(robot.ask("?", ["a", "b"])["answer"], "a")
        self.assertEqual(len(server.requests), 50)

    def test_the_time_limit_of_a_client_is_that_of_its_calls(self) -> None:
        server = self.serving(lambda _, connection: not connection.recv(1))
        begun = time.monotonic()
        with self.assertRaises(TimedOut):
            self.client(server, timeout=0.3).robots()
        with self.assertRaises(TimedOut):
            asyncio.run(aio.Perch(server.url, "pk_secret", timeout=0.3).robots())
        self.assertLess(time.monotonic() - begun, 10, "30 s is the limit without it")

    def test_a_proxy_carries_calls_for_http(self) -> None:
        proxy = self.answering(response())
        with Perch("http://perch.example:8080/base", "pk_secret", proxy=proxy.url) as perch:
            perch.robot("r-1").say("Hello")
        asyncio.run(_by_proxy(proxy.url))
        lines = [(request.line, request.headers["host"]) for request in proxy.requests]
        self.assertEqual(lines, [("POST http://perch.example:8080/base/v1/robots/r-1/say HTTP/1.1", "perch.example:8080")] * 2)

    def test_a_proxy_tunnels_calls_for_https(self) -> None:
        proxy = self.answering(b"HTTP/1.1 403 Forbidden\r\n\r\n")
        with Perch("https://perch.example", "pk_secret", proxy=proxy.url, max_retries=0) as perch:
            self.assertIn("403", str(self.failing(perch.robots)))

        async def called() -> None:
            await aio.Perch("https://perch.example", "pk_secret", proxy=proxy.url, max_retries=0).robots()

        self.assertIn("403", str(self.failing(lambda: asyncio.run(called()))))
        self.assertEqual([request.line.split(" HTTP")[0] for request in proxy.requests], ["CONNECT perch.example:443"] * 2)
        self.assertNotIn("authorization", {name for request in proxy.requests for name in request.headers})

    def test_further_headers_are_sent_with_each_call(self) -> None:
        server = self.answering(response())
        self.client(server, headers={"X-Team": "blue", "user-agent": "mine/1"}).robot("r-1").say("Hello")
        self.assertEqual((server.requests[0].headers["x-team"], server.requests[0].headers["user-agent"]), ("blue", "mine/1"))
        self.client(server).robot("r-1").say("Hello")
        self.assertEqual(server.requests[1].headers["user-agent"], f"perch-client-python/{perch_client.__version__}")

    def test_a_call_that_is_sent_again_has_the_arguments_of_its_first_try(self) -> None:
        busy = response(b'{"ok":false,"error":"Busy.","code":"busy"}', 503)
        for asynchronous in (False, True):
            args = {"text": "first"}

            def serve(request: Request, connection: socket.socket, args: Dict[str, str] = args) -> bool:
                connection.sendall(busy if args["text"] == "first" else response())
                args["text"] = "second"
                return True

            server = self.serving(serve)
            if asynchronous:
                perch = aio.Perch(server.url, "pk_secret")
                asyncio.run(_closing(perch, lambda: perch.robot("r-1").command("x", args)))
            else:
                self.client(server).robot("r-1").command("x", args)
            self.assertEqual([json.loads(request.body)["args"]["text"] for request in server.requests], ["first"] * 2)


async def _by_proxy(proxy: str) -> None:
    perch = aio.Perch("http://perch.example:8080/base", "pk_secret", proxy=proxy)
    await perch.robot("r-1").say("Hello")
    await perch.close()


def _named_by(thing: Any) -> Iterator[type]:
    """Yields the types of the package that the fields and public methods of a published thing name. `Robot` and `Group` are made by `Perch` alone."""
    members = [thing]
    if isinstance(thing, type):
        made_by_programs = thing.__name__ not in ("Robot", "Group")
        members += [each for name, each in vars(thing).items() if inspect.isfunction(each) and (name[0] != "_" or (name == "__init__" and made_by_programs))]
    for member in members:
        hints = list(typing.get_type_hints(member).values()) if isinstance(member, type) or inspect.isfunction(member) else [member]
        while hints:
            hint = hints.pop()
            hints += [each for each in typing.get_args(hint) if not isinstance(each, str)]
            if isinstance(hint, type) and hint.__module__.startswith("perch_client"):
                yield hint


class Types(unittest.TestCase):
    def test_the_types_of_what_is_published_can_be_read_at_run_time(self) -> None:
        # As pydantic and typer do.
        for name in perch_client.__all__:
            thing = getattr(perch_client, name)
            if isinstance(thing, type):
                typing.get_type_hints(thing)
                for member in vars(thing).values():
                    if callable(member):
                        typing.get_type_hints(member)
        self.assertIn("seq", typing.get_type_hints(Event))

    def test_every_type_that_a_public_signature_names_is_exported(self) -> None:
        seen = set()
        for module in (perch_client, aio):
            # Types of answers are those of the package for both.
            exported = [getattr(each, name) for each in (module, perch_client) for name in each.__all__]
            for name in module.__all__:
                for hint in _named_by(getattr(module, name)):
                    seen.add(hint.__name__)
                    self.assertTrue(any(hint is each for each in exported), f"{module.__name__}.{name} names {hint.__name__}")
        for name in ("Said", "AskAnswered", "DetachedUnanswered", "Showing", "Cancel", "Gap"):
            self.assertIn(name, seen)

    def test_a_wrong_keyword_is_told_with_the_method_that_was_called(self) -> None:
        perch = Perch("http://127.0.0.1:9", "pk_secret")
        robot: Any = perch.robot("r-1")
        asynchronous: Any = aio.Perch("http://127.0.0.1:9", "pk_secret").robot("r-1")
        question = ("Tea?", ["Yes", "No"])
        for method, args in (("show", ()), ("say", ("Hi",)), ("ask", question), ("menu", (["a", "b"],)), ("scene", ([],)), ("stop", ()), ("state", ())):
            for call in (lambda: getattr(robot, method)(*args, foo=1), lambda: asyncio.run(getattr(asynchronous, method)(*args, foo=1))):
                with self.assertRaisesRegex(TypeError, rf"^(Robot\.)?{method}\(\) got an unexpected keyword argument 'foo'$"):
                    call()
        with self.assertRaisesRegex(TypeError, "'retry'"):
            robot.say("Hi", retry=True)
        with self.assertRaisesRegex(TypeError, "'cancel'"):
            asyncio.run(asynchronous.ask(*question, cancel=None))

    def test_the_package_tells_its_version(self) -> None:
        self.assertRegex(perch_client.__version__, r"^\d+\.\d+\.\d+")


if __name__ == "__main__":
    unittest.main()
