"""Events of a robot whose head is patted all the while, over connections that are cut all the while."""

from __future__ import annotations

import threading
import unittest
from typing import List, cast

from service import ServiceTest, setting
from perch_client import Cancel, Cancelled, Event, Gap, Perch, PerchError, Unreachable


class Events(ServiceTest):
    def test_a_poll_answers_what_came_and_waits_for_what_comes(self) -> None:
        first = self.quiet.read_events(seconds=10)
        self.assertEqual(first["events"][0]["seq"], first["first_seq"])
        later = self.quiet.read_events(first["last_seq"], names=["pat", "tap"], seconds=20)
        self.assertEqual({event["name"] for event in later["events"]}, {"pat"})
        self.assertGreater(later["last_seq"], first["last_seq"])

    def test_a_stream_goes_on_where_its_connection_was_cut_and_misses_and_doubles_nothing(self) -> None:
        perch = Perch(setting("PERCH_CUT_URL"), setting("PERCH_API_KEY"))
        before = self.quiet.read_events()["last_seq"]
        seqs: List[int] = []
        for record in perch.robot(self.quiet.id).events(before):
            self.assertNotIsInstance(record, Gap)
            seqs.append(cast(Event, record)["seq"])
            if len(seqs) == 12:
                break
        self.assertEqual(seqs, list(range(before + 1, before + 13)))

    def test_names_leave_out_the_others(self) -> None:
        stream = self.quiet.events(0, names=["connected"])
        self.assertEqual(cast(Event, next(stream))["name"], "connected")

    def test_a_read_above_the_highest_number_waits_and_answers_only_greater_ones(self) -> None:
        before = self.quiet.read_events()["last_seq"]
        answer = self.quiet.read_events(before + 1, seconds=20)
        self.assertGreater(answer["events"][0]["seq"], before + 1)
        record = next(iter(self.quiet.events(answer["last_seq"] + 1)))
        self.assertNotIsInstance(record, Gap)
        self.assertGreater(cast(Event, record)["seq"], answer["last_seq"] + 1)

    def test_from_now_on_leaves_out_what_happened(self) -> None:
        before = self.quiet.read_events()["last_seq"]
        event = cast(Event, next(self.quiet.events("now")))
        self.assertGreater(event["seq"], before)

    def test_a_cancelled_stream_ends_also_while_nothing_happens(self) -> None:
        cancel = Cancel()
        threading.Timer(0.5, cancel.cancel).start()
        with self.assertRaises(Cancelled):
            for _ in self.quiet.events(0, names=["remote"], cancel=cancel):
                self.fail("nobody pressed a remote")

    def test_a_stream_that_cannot_begin_fails(self) -> None:
        with self.assertRaises(PerchError) as raised:
            next(iter(self.perch.robot("r-0000000000").events()))
        self.assertEqual(raised.exception.code, "unknown_robot")
        with self.assertRaises(Unreachable):
            next(iter(Perch("http://127.0.0.1:9", "pk_x").robot("r-1").events()))


if __name__ == "__main__":
    unittest.main()
