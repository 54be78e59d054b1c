"""Tests the asyncio client against the running service, with the robots of the other tests."""

from __future__ import annotations

import asyncio
import inspect
import runpy
import time
import unittest
from pathlib import Path
from typing import Any, Awaitable, Callable, List, cast

from service import setting
import perch_client
from perch_client import Event, Gap, PerchError, TimedOut, Unreachable, aio


class Generated(unittest.TestCase):
    def test_the_clients_match_those_without_asyncio_otherwise_run_generate_aio(self) -> None:
        tool = runpy.run_path(str(Path(__file__).parent.parent / "tools/generate_aio.py"))
        for name, text in cast(Callable[[], Any], tool["generated"])().items():
            self.assertEqual((Path(aio.__file__).parent / name).read_text("utf-8"), text, name)

    def test_every_method_is_there_with_the_same_arguments_except_cancel(self) -> None:
        for name in ("Perch", "Robot", "Group"):
            ours, theirs = getattr(aio, name), getattr(perch_client, name)
            for method, function in inspect.getmembers(theirs, inspect.isfunction):
                if method.startswith("_"):
                    continue
                wanted = [each for each in inspect.signature(function).parameters if each != "cancel"]
                self.assertEqual(list(inspect.signature(getattr(ours, method)).parameters), wanted, f"{name}.{method}")


class Asyncio(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self) -> None:
        self.perch = aio.Perch(setting("PERCH_BASE_URL"), setting("PERCH_API_KEY"))
        self.addAsyncCleanup(self.perch.close)
        self.robot = self.perch.robot(setting("PERCH_ROBOT"))
        self.quiet = self.perch.robot(setting("PERCH_QUIET_ROBOT"))

    async def test_actions_reads_and_questions_are_answered(self) -> None:
        robots = [each["id"] async for each in self.perch.each_robot()]
        self.assertIn(self.robot.id, robots)
        self.assertEqual(robots, [each["id"] for each in await self.perch.robots()])
        self.assertEqual(await self.robot.face("happy"), {"ok": True})
        self.assertTrue((await self.robot.screen())["image"].startswith(b"\x89PNG"))
        self.assertTrue((await self.robot.preview("ask", {"question": "Lunch?", "answers": ["Yes", "No"]}))["image"].startswith(b"\x89PNG"))
        asked = await self.robot.ask("Tea or coffee?", ["Tea", "Coffee"], timeout_s=30)
        self.assertEqual(asked["outcome"], "answered")
        self.assertIn(asked["answer"], ["Tea", "Coffee"])
        results = (await self.robot.scene([{"action": "face", "emotion": "neutral"}, {"action": "leds", "off": True}]))["results"]
        self.assertEqual(len(results), 2)
        self.assertEqual(len((await self.perch.group("all").act("leds", {"off": True}))["robots"]), len(robots))
        self.assertGreater(len(await self.perch.icons()), 100)
        self.assertGreater(len((await self.perch.openapi())["paths"]), 10)
        self.assertGreaterEqual(len(await self.perch.usage()), 1)
        self.assertGreaterEqual(len((await self.perch.activity(limit=1))["activity"]), 0)

    async def test_a_detached_question_is_waited_for_and_removed(self) -> None:
        wait = (await self.quiet.ask("Later?", ["Yes", "No"], timeout_s=300, detach=True))["wait"]
        self.assertEqual((await self.perch.wait(wait))["outcome"], "pending")
        await self.perch.remove_wait(wait)
        with self.assertRaises(PerchError) as raised:
            await self.perch.wait(wait)
        self.assertEqual(raised.exception.status, 404)

    async def test_cards_and_questions_wait_in_the_queue_of_the_robot(self) -> None:
        answers = ["Yes", "No"]
        await self.quiet.ask("Open?", answers, timeout_s=120, detach=True)
        self.addAsyncCleanup(self.quiet.stop)
        card = await self.quiet.show("Later", queue=True, priority=3, expires_s=120, for_s=2)
        self.assertEqual((card["queued"], card["place"]), (True, 1))
        asked = await self.quiet.ask("Then?", answers, detach=True, timeout_s=120, queue=True, expires_s=120)
        self.assertEqual((asked["outcome"], asked["place"]), ("pending", 2))
        unseen = await self.quiet.ask("Late?", answers, queue=True, expires_s=1)
        self.assertEqual((unseen["outcome"], unseen["queued"]), ("timed_out", True))
        await self.perch.remove_wait(asked["wait"])
        with self.assertRaises(PerchError) as raised:
            await self.perch.wait(asked["wait"])
        self.assertEqual(raised.exception.status, 404)

    async def test_a_cancelled_task_removes_its_question_and_a_timeout_does_too(self) -> None:
        async def is_shown() -> bool:
            return (await self.quiet.state())["showing"]["question"] is not None

        async def is_removed() -> bool:
            return not await is_shown()

        task = asyncio.ensure_future(self.quiet.ask("Still there?", ["Yes", "No"], timeout_s=60))
        await self.until(is_shown)
        task.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await task
        await self.until(is_removed)
        with self.assertRaises(TimedOut):
            await self.quiet.ask("Still there?", ["Yes", "No"], timeout_s=60, timeout=1)
        await self.until(is_removed)

    async def test_many_calls_at_once_share_connections_and_stay_within_the_limit(self) -> None:
        async with aio.Perch(setting("PERCH_BASE_URL"), setting("PERCH_BUSY_KEY"), max_retries=2) as perch:
            answers = await asyncio.gather(*(perch.robot(self.quiet.id).face("neutral") for _ in range(40)))
        self.assertEqual(answers, [{"ok": True}] * 40)

    async def test_a_cut_stream_resumes_without_missing_or_repeating_events(self) -> None:
        perch = aio.Perch(setting("PERCH_CUT_URL"), setting("PERCH_API_KEY"))
        before = (await self.quiet.read_events())["last_seq"]
        seqs: List[int] = []
        async for record in perch.robot(self.quiet.id).events(before):
            self.assertNotIsInstance(record, Gap)
            seqs.append(cast(Event, record)["seq"])
            if len(seqs) == 12:
                break
        self.assertEqual(seqs, list(range(before + 1, before + 13)))

    async def test_failures_have_the_codes_of_the_other_client(self) -> None:
        with self.assertRaises(PerchError) as raised:
            await self.robot.clickmap([{"id": "a", "polygon": [[1, 1]]}])
        self.assertEqual((raised.exception.code, raised.exception.argument), ("bad_argument", "regions[0].polygon"))
        with self.assertRaises(PerchError) as raised:
            await aio.Perch(setting("PERCH_BASE_URL"), "pk_nobody").robots()
        self.assertEqual(raised.exception.code, "unauthorized")
        with self.assertRaises(Unreachable):
            await aio.Perch("http://127.0.0.1:9", "pk_x", max_retries=0).robots()
        with self.assertRaises(PerchError) as raised:
            async for _ in self.perch.robot("r-0000000000").events():
                self.fail("there is no such robot")
        self.assertEqual(raised.exception.code, "unknown_robot")

    async def until(self, condition: Callable[[], Awaitable[bool]]) -> None:
        deadline = time.monotonic() + 20
        while not await condition():
            self.assertLess(time.monotonic(), deadline, "it did not come true")
            await asyncio.sleep(0.15)


if __name__ == "__main__":
    unittest.main()
