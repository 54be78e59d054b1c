"""Runs the examples of README.md in order, with an existing URL, key and robot."""

from __future__ import annotations

import re
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any, Dict
import unittest

from service import ServiceTest, setting


class Readme(ServiceTest):
    def test_the_examples_run_and_print_the_expected_text(self) -> None:
        text = (Path(__file__).parent.parent / "README.md").read_text("utf-8")
        examples = re.findall(r"^```python\n(.*?)^```$", text, re.M | re.S)
        self.assertGreaterEqual(len(examples), 7)
        names: Dict[str, Any] = {}
        printed = []
        for example in examples:
            for shown, real in (
                ("http://127.0.0.1:8080", setting("PERCH_BASE_URL")),
                ("pk_...", setting("PERCH_API_KEY")),
                ("r-...", self.robot.id),
            ):
                example = example.replace(f'"{shown}"', f'"{real}"')
            out = StringIO()
            with redirect_stdout(out):
                exec(compile(example, "README.md", "exec"), names)
            printed.append(out.getvalue())
        everything = "".join(printed)
        for said in (f"{self.robot.id} is here", "never mind", "connected {}", "lunch: answered", "bad_argument 400 answers None"):
            self.assertIn(said, everything)
        names["perch"].close()


if __name__ == "__main__":
    unittest.main()
