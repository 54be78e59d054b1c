"""Access to the running service under test. test-e2e/scenarios/python-client.test.ts sets the environment."""

from __future__ import annotations

import os
import unittest

from perch_client import Perch


def setting(name: str) -> str:
    value = os.environ.get(name)
    if value is None:
        raise unittest.SkipTest(f"{name} is not set: there is no service to test against")
    return value


class ServiceTest(unittest.TestCase):
    """`robot` has a simulated person who answers. At `quiet` no one answers, and its head is patted now and then."""

    def setUp(self) -> None:
        self.perch = Perch(setting("PERCH_BASE_URL"), setting("PERCH_API_KEY"))
        self.addCleanup(self.perch.close)
        self.robot = self.perch.robot(setting("PERCH_ROBOT"))
        self.quiet = self.perch.robot(setting("PERCH_QUIET_ROBOT"))
