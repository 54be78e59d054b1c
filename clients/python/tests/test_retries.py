"""Tests retries against a server with scripted failures."""

from __future__ import annotations

import json
import socket
import struct
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Dict, List, Optional, Tuple
from unittest import mock

from perch_client import NoAnswer, Perch, PerchError, Unreachable, transport
from perch_client.aio import transport as aio_transport
from perch_client.retry import FailedTries, Repeatable
from perch_client.robot import waited_s
from perch_client.throttle import Throttle

Answer = Optional[Tuple[int, Dict[str, Any], Dict[str, str]]]
# With what each action promises.
done: Answer = (200, {"ok": True, "outcome": "answered", "last_seq": 0, "results": []}, {})


def failure(status: int, code: str, retry_after: str = "", **more: Any) -> Answer:
    return (status, {"ok": False, "error": "Said so.", "code": code, "request_id": "q", **more}, {"retry-after": retry_after} if retry_after else {})


class Retries(unittest.TestCase):
    """The server sends the listed responses in order; None resets the connection after the request was read."""

    def setUp(self) -> None:
        self.answers: List[Answer] = []
        self.requests: List[Dict[str, Any]] = []
        test = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"] or 0))
                test.requests.append({"path": self.path, "headers": self.headers, "body": json.loads(body or b"null")})
                answer = test.answers.pop(0)
                if answer is None:
                    self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    self.close_connection = True
                    return
                status, content, headers = answer
                text = json.dumps(content).encode()
                self.send_response(status)
                for name, value in {**headers, "content-length": str(len(text))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(text)

            do_GET = do_POST

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        thread = threading.Thread(target=self.server.serve_forever, args=(0.05,))
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.perch = Perch(f"http://127.0.0.1:{self.server.server_address[1]}", "pk_x")
        self.addCleanup(self.perch.close)
        self.robot = self.perch.robot("r-1")

    def failing(self, *answers: Answer) -> PerchError:
        self.answers = list(answers)
        with self.assertRaises(PerchError) as raised:
            self.robot.sound("done")
        return raised.exception

    def test_calls_that_were_not_executed_are_retried(self) -> None:
        for code in ("robot_busy", "busy", "service_unavailable", "draining", "render_failed"):
            self.answers = [failure(503, code), done]
            self.assertTrue(self.robot.say("Hello")["ok"])
        self.answers = [failure(429, "rate_limited", "1"), done]
        self.assertTrue(self.robot.say("Hello")["ok"])
        self.assertEqual(self.answers, [])

    def test_calls_that_may_have_been_executed_or_fail_permanently_are_not_retried(self) -> None:
        for code in ("outcome_unknown", "no_ack", "robot_hardware", "robot_offline", "storage_full", "speech_failed"):
            self.assertEqual(self.failing(failure(503, code), done).code, code)
            self.assertEqual(len(self.answers), 1)
        for status, code in ((400, "bad_argument"), (404, "unknown_robot"), (501, "not_offered")):
            self.assertEqual(self.failing(failure(status, code), done).status, status)
            self.assertEqual(len(self.answers), 1)

    def test_reads_and_keyed_calls_that_may_have_been_executed_are_retried(self) -> None:
        self.answers = [None, failure(500, "internal"), done]
        self.assertTrue(self.robot.state()["ok"])
        self.answers = [None, None, done]
        self.assertTrue(self.robot.sound("done", idempotency_key="k-1")["ok"])
        self.assertEqual([request["headers"]["idempotency-key"] for request in self.requests[-3:]], ["k-1"] * 3)
        self.answers = [None, done, done]
        self.robot.sound("done")
        self.robot.sound("done")
        *same, other = [request["headers"]["idempotency-key"] for request in self.requests[-3:]]
        self.assertEqual(len(set(same)), 1)
        self.assertNotIn(other, same)

    def test_a_question_is_not_asked_twice_unless_it_has_a_key(self) -> None:
        for answer, code in ((None, "no_answer"), (failure(503, "service_unavailable"), "service_unavailable")):
            self.answers = [answer, done]
            with self.assertRaises(PerchError) as raised:
                self.robot.ask("Tea?", ["Yes", "No"])
            self.assertEqual((raised.exception.code, len(self.answers)), (code, 1))
            self.assertNotIn("idempotency-key", self.requests[-1]["headers"])
        self.answers = [None, failure(503, "service_unavailable"), done]
        self.assertTrue(self.robot.ask("Tea?", ["Yes", "No"], idempotency_key="k-2")["ok"])

    def test_a_question_with_retry_is_asked_again_for_15_s_after_each_break(self) -> None:
        call = Repeatable(reads=False, keyed=True, waits=True, persists=True)
        failed = FailedTries(call, 0)
        broken, refused = NoAnswer("Broken."), Unreachable("Refused.")
        self.assertIsNotNone(failed.retry_in_s(broken, 0.0, 100.0))
        # The service restarts.
        for now in range(101, 110):
            self.assertIsNotNone(failed.retry_in_s(refused, now - 0.1, float(now)))
        self.assertIsNotNone(failed.retry_in_s(broken, 109.9, 110.0))
        self.assertIsNone(failed.retry_in_s(refused, 105.1, 115.1), "a connection that cannot be made is no new break")
        again = FailedTries(call, 0)
        self.assertIsNotNone(again.retry_in_s(broken, 0.0, 100.0))
        self.assertIsNotNone(again.retry_in_s(broken, 101.0, 160.0), "the question was open for a minute between")
        self.assertIsNone(again.retry_in_s(PerchError("robot_offline", "No.", status=503), 160.1, 160.2))

    def test_a_question_with_retry_is_given_up_after_10_minutes_since_its_key_ends_then(self) -> None:
        for module in (transport, aio_transport):
            self.assertEqual(module.persists_s, 600)
        with mock.patch.object(transport, "persists_s", 0.3):
            self.answers = [None] * 20
            with self.assertRaises(PerchError):
                self.robot.ask("Tea?", ["Yes", "No"], retry=True, timeout=3600)
        self.assertGreater(len(self.answers), 10, "a limit of an hour would have gone on for the 15 s after the break")

    def test_without_retries_there_is_no_key_and_no_second_try(self) -> None:
        perch = Perch(f"http://127.0.0.1:{self.server.server_address[1]}", "pk_x", max_retries=0)
        self.answers = [None, done]
        with self.assertRaises(NoAnswer):
            perch.robot("r-1").sound("done")
        self.assertNotIn("idempotency-key", self.requests[-1]["headers"])
        with self.assertRaises(Unreachable):
            Perch("http://127.0.0.1:9", "pk_x", max_retries=0).robots()

    def test_a_scene_is_not_retried_after_one_of_its_actions_was_executed(self) -> None:
        self.answers = [failure(503, "robot_busy", results=[{"ok": True}]), done]
        with self.assertRaises(PerchError) as raised:
            self.robot.scene([{"action": "face", "emotion": "sad"}, {"action": "leds", "off": True}])
        self.assertEqual(raised.exception.results, [{"ok": True}])
        self.answers = [failure(503, "robot_busy", results=[]), done]
        self.assertTrue(self.robot.scene([{"action": "leds", "off": True}])["ok"])

    def test_a_call_fails_after_its_last_try_or_if_the_pause_exceeds_the_timeout(self) -> None:
        perch = Perch(f"http://127.0.0.1:{self.server.server_address[1]}", "pk_x", max_retries=1)
        self.answers = [failure(503, "robot_busy")] * 3
        with self.assertRaises(PerchError):
            perch.robot("r-1").say("Hello")
        perch.close()
        self.assertEqual(len(self.answers), 1)
        error = self.failing(failure(429, "rate_limited", "3600"))
        self.assertEqual((error.status, error.retry_after, error.argument), (429, 3600, None))

    def test_a_connection_closed_by_the_server_is_not_reused(self) -> None:
        self.answers = [(200, {"ok": True}, {"connection": "close"}), done]
        self.robot.say("one")
        self.robot.say("two")
        self.assertEqual([request["body"]["text"] for request in self.requests], ["one", "two"])

    def test_unset_arguments_are_not_sent(self) -> None:
        self.answers = [done]
        self.robot.show("Hi", color="red")
        self.assertEqual(self.requests[0]["body"], {"text": "Hi", "color": "red"})
        self.assertEqual(self.requests[0]["path"], "/v1/robots/r-1/show")

    def test_robots_are_listed_slice_by_slice_until_next_is_null(self) -> None:
        robots = [{"id": "r-a"}, {"id": "r-b"}, {"id": "r-c"}]
        self.answers = [(200, {"ok": True, "robots": robots[:2], "next": "r-b"}, {}), (200, {"ok": True, "robots": robots[2:], "next": None}, {})]
        self.assertEqual([each["id"] for each in self.perch.each_robot(online=False, firmware="1.0 b")], ["r-a", "r-b", "r-c"])
        self.assertEqual(
            [request["path"] for request in self.requests],
            ["/v1/robots?limit=500&online=false&firmware=1.0+b", "/v1/robots?limit=500&after=r-b&online=false&firmware=1.0+b"],
        )

    def test_robots_are_filtered_by_labels_and_a_service_before_0_10_0_has_none(self) -> None:
        self.answers = [(200, {"ok": True, "robots": [{"id": "r-a"}], "next": None}, {}), (200, {"ok": True, "robots": [{"id": "r-a"}]}, {})]
        self.assertEqual(len(self.perch.robots(label=["room=r7", "note=a b"])), 1)
        self.assertEqual(self.perch.list_robots(label="room=r7"), ([], None))
        self.assertEqual(
            [request["path"] for request in self.requests],
            ["/v1/robots?limit=500&label=room%3Dr7&label=note%3Da+b", "/v1/robots?label=room%3Dr7"],
        )

    def test_robots_are_listed_once_if_some_slices_come_from_a_service_before_0_10_0(self) -> None:
        c, a, d, b = robots = [{"id": each, "online": each != "r-d", "firmware": "1.0"} for each in ("r-c", "r-a", "r-d", "r-b")]
        everything = (200, {"ok": True, "robots": robots}, {})
        self.answers = [(200, {"ok": True, "robots": [a, b], "next": "r-b"}, {}), everything]
        self.assertEqual(self.perch.robots(online=True), [a, b, c])
        self.answers = [everything] * 4
        self.assertEqual(self.perch.list_robots(limit=2), ([a, b], "r-b"))
        self.assertEqual(self.perch.list_robots(limit=2, after="r-a", online=True), ([b, c], None))
        self.assertEqual(self.perch.list_robots(firmware="2.0"), ([], None))
        self.assertEqual(self.perch.list_robots(), ([a, b, c, d], None))

    def test_a_response_that_is_not_from_perch_raises_bad_answer(self) -> None:
        self.answers = [(502, {"message": "Bad gateway"}, {})] * 4
        with self.assertRaises(PerchError) as raised:
            self.robot.say("Hello")
        self.assertEqual((raised.exception.code, raised.exception.status), ("bad_answer", 502))
        with self.assertRaises(ValueError):
            Perch("localhost:8080", "pk_x")


class Waiting(unittest.TestCase):
    def test_pages_that_must_all_be_read_extend_the_default_time_of_a_question(self) -> None:
        pages = {"action": "ask", "whole": True, "overflow": "pages"}
        asked = [{"action": "ask", "whole": True}, pages, {**pages, "timeout_s": 40}, {**pages, "detach": True}, {**pages, "queue": True}]
        self.assertEqual([waited_s(each) for each in asked], [30, 120, 40, 0, 240])


class Throttling(unittest.TestCase):
    def test_the_limit_is_known_from_the_first_response(self) -> None:
        now = [0.0]
        throttle = Throttle(lambda: now[0])
        policy = '"actions";q=30;w=3'
        self.assertEqual(throttle.take(1), 0)
        throttle.learn(policy, '"actions";r=2;t=3')
        self.assertEqual([throttle.take(1), throttle.take(1)], [0, 0])
        self.assertAlmostEqual(throttle.take(1), 0.1)
        # A response to an earlier call, which does not count the calls in flight.
        throttle.learn(policy, '"actions";r=1;t=3')
        self.assertAlmostEqual(throttle.take(1), 0.2)
        now[0] = 60.0
        self.assertEqual(throttle.take(30), 0)
        self.assertAlmostEqual(throttle.take(5), 0.5)


if __name__ == "__main__":
    unittest.main()
