"""Tests events of a robot whose head is patted repeatedly, over connections that are cut repeatedly."""

from __future__ import annotations

import threading
import unittest
from typing import List, cast

from service import ServiceTest, setting
from perch_client import Cancel, Cancelled, Event, Gap, Perch, PerchError, Unreachable


class Events(ServiceTest):
    def test_a_poll_returns_past_events_and_waits_for_the_next_one(self) -> None:
        first = self.quiet.read_events(seconds=10)
        self.assertEqual(first["events"][0]["seq"], first["first_seq"])
        later = self.quiet.read_events(first["last_seq"], names=["pat", "tap"], seconds=20)
        self.assertEqual({event["name"] for event in later["events"]}, {"pat"})
        self.assertGreater(later["last_seq"], first["last_seq"])

    def test_a_cut_stream_resumes_without_missing_or_repeating_events(self) -> None:
        perch = Perch(setting("PERCH_CUT_URL"), setting("PERCH_API_KEY"))
        before = self.quiet.read_events()["last_seq"]
        seqs: List[int] = []
        for record in perch.robot(self.quiet.id).events(before):
            self.assertNotIsInstance(record, Gap)
            seqs.append(cast(Event, record)["seq"])
            if len(seqs) == 12:
                break
        self.assertEqual(seqs, list(range(before + 1, before + 13)))

    def test_names_filter_the_stream(self) -> None:
        stream = self.quiet.events(0, names=["connected"])
        self.assertEqual(cast(Event, next(stream))["name"], "connected")

    def test_a_read_above_the_highest_number_waits_for_greater_numbers(self) -> None:
        before = self.quiet.read_events()["last_seq"]
        answer = self.quiet.read_events(before + 1, seconds=20)
        self.assertGreater(answer["events"][0]["seq"], before + 1)
        record = next(iter(self.quiet.events(answer["last_seq"] + 1)))
        self.assertNotIsInstance(record, Gap)
        self.assertGreater(cast(Event, record)["seq"], answer["last_seq"] + 1)

    def test_after_now_yields_only_new_events(self) -> None:
        before = self.quiet.read_events()["last_seq"]
        event = cast(Event, next(self.quiet.events("now")))
        self.assertGreater(event["seq"], before)

    def test_cancelling_ends_a_stream_without_events(self) -> None:
        cancel = Cancel()
        threading.Timer(0.5, cancel.cancel).start()
        with self.assertRaises(Cancelled):
            for _ in self.quiet.events(0, names=["remote"], cancel=cancel):
                self.fail("nobody pressed a remote")

    def test_a_stream_that_cannot_be_opened_raises(self) -> None:
        with self.assertRaises(PerchError) as raised:
            next(iter(self.perch.robot("r-0000000000").events()))
        self.assertEqual(raised.exception.code, "unknown_robot")
        with self.assertRaises(Unreachable):
            next(iter(Perch("http://127.0.0.1:9", "pk_x").robot("r-1").events()))


if __name__ == "__main__":
    unittest.main()
