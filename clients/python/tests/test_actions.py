"""Tests every method against the running service and its virtual robots."""

from __future__ import annotations

import inspect
import logging
import struct
import threading
import time
import unittest
import zlib
from typing import Any, Callable, Dict, List, get_args
from uuid import uuid4

from service import ServiceTest, setting
import perch_client
from perch_client import Cancel, Cancelled, Perch, PerchError, Robot, TimedOut


def png(width: int, height: int) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = (b"\0" + b"\x20\x80\xff" * width) * height
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


class Actions(ServiceTest):
    def test_every_action_has_a_method_with_the_same_arguments(self) -> None:
        actions = {each["name"]: each for each in self.perch.actions()["actions"]}
        self.assertEqual(len(actions), 15)
        for name, action in actions.items():
            parameters = inspect.signature(getattr(Robot, "read_events" if name == "events" else name)).parameters
            for argument in action["arguments"]["properties"]:
                self.assertIn(argument, parameters, name)
        paths = self.perch.openapi()["paths"]
        for path in paths:
            # Under `wait`, the question of a call is taken away by its Idempotency-Key.
            if path.startswith("/v1/robots/{robot}/") and not path.endswith("/wait"):
                self.assertTrue(hasattr(Robot, path.rsplit("/", 1)[1]), path)

    def test_types_have_the_fields_that_the_interface_describes(self) -> None:
        schemas: Dict[str, Any] = self.perch.openapi()["components"]["schemas"]
        names = {
            "ShowAnswer": "Shown",
            "SayAnswer": "Said",
            "FaceAnswer": "Done",
            "LedsAnswer": "Done",
            "MoveAnswer": "Moved",
            "SoundAnswer": "Played",
            "SpeakAnswer": "Spoken",
            "AskAnswer": "AskAnswer",
            "MenuAnswer": "MenuAnswer",
            "ClickmapAnswer": "ClickmapAnswer",
            "WaitAnswer": "DetachedAnswer",
            "CommandAnswer": "CommandAnswer",
            "StateAnswer": "State",
            "EventsAnswer": "Events",
            "StopAnswer": "Stopped",
            "SceneAnswer": "SceneAnswer",
            "ScreenImageAnswer": "ScreenImage",
            "GroupAnswer": "GroupAnswer",
            "PictureUploadAnswer": "UploadedPicture",
            "ActivityAnswer": "ActivityPage",
            "ActivityEntry": "ActivityEntry",
            "Robot": "RobotInfo",
            "RobotCommand": "RobotCommand",
            "Showing": "Showing",
        }
        answers = {name for name in schemas if name.endswith("Answer")} - set(names)
        # Their methods return a list of it, or the JSON; the client has no methods for webhooks.
        self.assertEqual(
            {name for name in answers if "Webhook" not in name and "Deliver" not in name},
            {"RobotsAnswer", "ActionsAnswer", "IconsAnswer", "UsageAnswer", "OpenApiAnswer", "WaitRemovedAnswer"},
        )
        for name, ours in names.items():
            schema = schemas[name]
            kind = getattr(perch_client, ours)
            kinds = get_args(kind) or (kind,)
            known = {field for each in kinds for field in each.__required_keys__ | each.__optional_keys__}
            self.assertEqual(known, set(schema["properties"]), ours)
            self.assertEqual({field for field in known if all(field in each.__required_keys__ for each in kinds)}, set(schema["required"]), ours)

    def test_robots_are_listed_and_their_state_is_read(self) -> None:
        self.assertEqual({each["id"] for each in self.perch.robots()}, {self.robot.id, self.quiet.id})
        state = self.robot.state()
        self.assertEqual((state["id"], state["online"]), (self.robot.id, True))

    def test_a_group_answers_for_each_robot_and_refuses_an_unknown_label(self) -> None:
        answer = self.perch.group("all").act("face", {"emotion": "happy"})
        self.assertEqual({each["robot"]: each["ok"] for each in answer["robots"]}, {self.robot.id: True, self.quiet.id: True})
        asked = self.perch.group("all").act("ask", {"question": "Now?", "answers": ["Yes", "No"], "timeout_s": 20}, answers="first")
        self.assertEqual(asked["first"], self.robot.id)
        with self.assertRaises(PerchError) as raised:
            self.perch.group("room=none").act("face", {"emotion": "happy"})
        self.assertEqual(raised.exception.code, "not_found")

    def test_every_acting_method_succeeds(self) -> None:
        self.assertEqual(self.robot.show("42 %", title="Build", progress=0.42), {"ok": True})
        self.assertEqual(self.robot.show(image=png(4, 3), note="left out"), {"ok": True, "ignored": ["note"]})
        self.assertIn("cloud-sun", {each["name"] for each in self.perch.icons()})
        self.assertEqual(self.robot.show(icon="cloud-sun"), {"ok": True})
        uploaded = self.perch.upload_picture(png(5, 3))
        self.assertEqual((uploaded["w"], uploaded["h"], uploaded["format"]), (5, 3, "png"))
        self.assertTrue(self.robot.show(image=uploaded["picture"])["ok"])
        self.robot.show(clear=True)
        self.assertTrue(self.robot.say("Grüße 🍵", seconds=1)["ok"])
        self.assertTrue(self.robot.face("happy")["ok"])
        self.assertEqual(self.robot.state()["showing"]["emotion"], "happy")
        self.assertEqual(self.robot.move(yaw=12, pitch=30)["yaw"], 12)
        self.assertTrue(self.robot.leds(pixels=["red"] * 12)["ok"])
        self.assertAlmostEqual(self.robot.sound(notes="C5:200 -:100", volume=30)["seconds"], 0.3)
        self.assertAlmostEqual(self.robot.sound(notes="Scale:d=8,o=5,b=120:c,d,e,c6.")["seconds"], 1.125)
        spoken = self.robot.speak("Hello", lang="en")
        self.assertEqual([spoken["replaced"], spoken["caption"]], [False, True])
        self.assertTrue(self.robot.command("brightness", {"pct": 50})["ok"])
        scene = self.robot.scene([{"action": "face", "emotion": "sad"}, {"action": "move", "gesture": "nod"}])
        self.assertEqual(len(scene["results"]), 2)
        self.assertEqual(self.robot.stop()["left_out"], [])

    def test_cards_and_questions_wait_in_the_queue_of_the_robot(self) -> None:
        answers = ["Yes", "No"]
        self.addCleanup(self.quiet.stop)
        self.quiet.ask("Open?", answers, timeout_s=120, detach=True)
        card = self.quiet.show("Later", queue=True, priority=3, expires_s=120, for_s=2)
        self.assertEqual(card, {"ok": True, "queued": True, "place": 1})
        asked = self.quiet.ask("Then?", answers, detach=True, timeout_s=120, queue=True, priority=5, expires_s=120)
        self.assertEqual((asked["outcome"], asked["queued"], asked["place"]), ("pending", True, 1))
        waiting = self.perch.wait(asked["wait"])
        self.assertEqual((waiting["outcome"], waiting["queued"], waiting["place"]), ("pending", True, 1))
        unseen = self.quiet.ask("Late?", answers, queue=True, expires_s=1)
        self.assertEqual((unseen["outcome"], unseen["queued"], unseen["answer"]), ("timed_out", True, None))
        with self.assertRaises(PerchError) as raised:
            self.quiet.show("Now", priority=3)
        self.assertEqual((raised.exception.code, raised.exception.argument), ("bad_argument", "priority"))
        self.quiet.stop()
        self.assertEqual(self.perch.wait(asked["wait"])["outcome"], "replaced")

    def test_a_question_of_the_queue_is_answered_when_its_turn_comes(self) -> None:
        self.assertEqual(self.robot.show("First", queue=True, for_s=1)["queued"], True)
        answer = self.robot.ask("Second?", ["Yes", "No"], queue=True, timeout_s=60)
        self.assertIn(answer["answer"], ("Yes", "No"))

    def test_the_screen_is_read_and_previews_are_drawn(self) -> None:
        size = struct.pack(">II", 320, 240)
        self.assertEqual(self.robot.screen()["image"][16:24], size)
        menu = {"items": ["Soup", {"label": "Pizza", "image": png(4, 3)}]}
        for action, args in (("show", {"image": png(4, 3)}), ("say", {"text": "Hi"}), ("menu", menu)):
            self.assertEqual(self.robot.preview(action, args)["image"][16:24], size)  # type: ignore[arg-type]
        with self.assertRaises(PerchError) as failed:
            self.robot.preview("ask", {"question": "Tea?", "answers": ["Yes"]})
        self.assertEqual((failed.exception.code, failed.exception.argument), ("bad_argument", "answers"))

    def test_questions_are_answered(self) -> None:
        asked = self.robot.ask("Tea or coffee?", ["Tea", "Coffee"], timeout_s=20)
        self.assertEqual((asked["outcome"], asked["timed_out"], asked["replaced"]), ("answered", False, False))
        self.assertIn(asked["answer"], ("Tea", "Coffee"))
        menu = self.robot.menu([{"id": "blue", "image": png(8, 8)}, "Red"], title="Which?", timeout_s=20)
        self.assertIn(menu["item"], ("blue", "Red"))
        timed_out = self.quiet.ask("Anyone?", ["Yes", "No"], timeout_s=0.2)
        self.assertEqual((timed_out["outcome"], timed_out["answer"]), ("timed_out", None))
        nowhere = self.quiet.clickmap([{"id": "a", "circle": [10, 10, 5]}], timeout_s=0.2)
        self.assertEqual((nowhere["outcome"], nowhere["region"]), ("timed_out", None))

    def test_the_activity_and_the_usage_are_read(self) -> None:
        self.quiet.ask("Recorded?", ["Yes", "No"], timeout_s=0.2)

        def recorded() -> List[str]:
            page = self.perch.activity(robot=self.quiet.id, action="ask", outcome="timed_out", kind="calls", limit=1)
            return [each["question"] or "" for each in page["activity"]]

        self.until(lambda: recorded() == ["Recorded?"])
        found = next(each for each in self.perch.each_activity(action="ask") if each["question"] == "Recorded?")
        self.assertEqual((found["robot"], found["outcome"], found["via"]), (self.quiet.id, "timed_out", "http"))
        later = self.perch.activity(after=found["seq"] - 1, limit=1)
        self.assertEqual((later["activity"], later["next_before"]), ([found], None))
        self.assertGreaterEqual(sum(key["asked"] for key in self.perch.usage()[0]["keys"]), 1)

    def test_an_answer_names_what_was_cut_and_a_question_that_must_be_whole_is_refused(self) -> None:
        long = "word " * 200
        self.assertEqual(self.robot.show(long), {"ok": True, "truncated": ["text"]})
        with self.assertRaises(PerchError) as raised:
            self.robot.ask(long, ["Yes", "No"], whole=True)
        self.assertEqual((raised.exception.code, raised.exception.argument), ("not_whole", "question"))

    def test_cancelling_removes_the_question(self) -> None:
        cancel = Cancel()
        ended: List[BaseException] = []

        def ask() -> None:
            try:
                self.quiet.ask("Still there?", ["Yes", "No"], timeout_s=60, cancel=cancel)
            except Cancelled as error:
                ended.append(error)

        thread = threading.Thread(target=ask)
        thread.start()
        self.until(lambda: self.quiet.state()["showing"]["question"] is not None)
        cancel.cancel()
        thread.join(20)
        self.assertEqual(len(ended), 1)
        self.until(lambda: self.quiet.state()["showing"]["question"] is None)
        with self.assertRaises(Cancelled):
            self.quiet.face("happy", cancel=cancel)

    def test_exceeding_the_timeout_removes_the_question(self) -> None:
        with self.assertRaises(TimedOut):
            self.quiet.ask("Still there?", ["Yes", "No"], timeout_s=60, timeout=1)
        self.until(lambda: self.quiet.state()["showing"]["question"] is None)

    def test_a_question_with_retry_lasts_over_connections_that_are_cut(self) -> None:
        with Perch(setting("PERCH_CUT_URL"), setting("PERCH_API_KEY")) as cut:
            answer = cut.robot(self.quiet.id).ask("Still there?", ["Yes", "No"], timeout_s=3, retry=True)
        self.assertEqual(answer["outcome"], "timed_out")

    def test_cancelling_a_question_with_retry_removes_it_by_its_key(self) -> None:
        cancel = Cancel()

        def cancel_once_shown() -> None:
            self.until(lambda: self.quiet.state()["showing"]["question"] is not None)
            cancel.cancel()

        thread = threading.Thread(target=cancel_once_shown)
        thread.start()
        self.addCleanup(thread.join)
        with self.assertLogs("perch_client", logging.DEBUG) as logs, self.assertRaises(Cancelled):
            self.quiet.ask("Still there?", ["Yes", "No"], timeout_s=60, retry=True, cancel=cancel)
        self.assertRegex("\n".join(logs.output), "DELETE /v1/robots/[^/]+/wait: status 200")
        self.until(lambda: self.quiet.state()["showing"]["question"] is None)

    def test_calls_with_the_same_idempotency_key_are_executed_once(self) -> None:
        key = uuid4().hex
        first, second = (self.robot.sound(notes="C5:50", idempotency_key=key) for _ in range(2))
        self.assertEqual(first, second)
        with self.assertRaises(PerchError) as raised:
            self.robot.sound(notes="D5:50", idempotency_key=key)
        self.assertEqual(raised.exception.status, 400)

    def test_failures_have_code_status_and_argument(self) -> None:
        with self.assertRaises(PerchError) as raised:
            self.robot.clickmap([{"id": "a", "polygon": [[1, 1]]}])
        self.assertEqual((raised.exception.code, raised.exception.status), ("bad_argument", 400))
        self.assertEqual(raised.exception.argument, "regions[0].polygon")
        with self.assertRaises(PerchError) as raised:
            self.perch.robot("r-0000000000").say("Hello")
        self.assertEqual((raised.exception.code, raised.exception.status), ("unknown_robot", 404))
        with self.assertRaises(PerchError) as raised:
            Perch(setting("PERCH_BASE_URL"), "pk_nobody").robots()
        self.assertEqual(raised.exception.code, "unauthorized")
        with self.assertRaises(PerchError) as raised:
            self.robot.scene([{"action": "show", "text": "Hi"}, {"action": "say", "text": "hidden"}])
        self.assertEqual((raised.exception.argument, raised.exception.results), ("actions[1]", [{"ok": True}]))
        self.robot.show(clear=True)

    def test_many_calls_at_once_stay_within_the_limit(self) -> None:
        perch = Perch(setting("PERCH_BASE_URL"), setting("PERCH_BUSY_KEY"), max_retries=2)
        robot = perch.robot(self.quiet.id)
        failed: List[BaseException] = []

        def act() -> None:
            try:
                for _ in range(12):
                    robot.face("neutral")
            except PerchError as error:
                failed.append(error)

        threads = [threading.Thread(target=act) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        perch.close()
        self.assertEqual(failed, [])

    def until(self, condition: Callable[[], bool]) -> None:
        deadline = time.monotonic() + 20
        while not condition():
            self.assertLess(time.monotonic(), deadline, "it did not come true")
            time.sleep(0.15)


if __name__ == "__main__":
    unittest.main()
