"""Writes the clients of `perch_client.aio` from those of `perch_client`: `python3 tools/generate_aio.py`. A test compares them.

Both have the same methods and arguments, without `cancel`: asyncio cancels a call by cancelling its task.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Dict

package = Path(__file__).parent.parent / "src/perch_client"
names = ("client", "group", "robot")

_awaited = r"self\._(?:act|wait|picture|transport\.call)\("
_literal = {
    "from .cancel import Cancel\n": "",
    "from .types import": "from ..types import",
    "Iterator": "AsyncIterator",
    "Thread-safe; use one client per key, so that all threads together stay": "Use it in one event loop, and use one client per key, so that all tasks together stay",
    "    cancel: Optional[Cancel]\n": "",
    "        cancel: Optional[Cancel] = None,\n": "",
    "        cancel: Optional[Cancel],\n": "",
    ", cancel: Optional[Cancel] = None": "",
    ", cancel: Optional[Cancel]": "",
    ", cancel=cancel": "",
    "            cancel=cancel,\n": "",
    "                cancel=cancel,\n": "",
    "self.state(cancel=cancel)[": "(await self.state())[",
    ", timeout, cancel": ", timeout",
    ", limit, cancel, ": ", limit, ",
    "(number, names, None), cancel)": "(number, names, None))",
    "        yield from EventStream(": "        async for record in EventStream(",
    ").records()\n": ").records():\n            yield record\n",
    "            yield from robots\n": "            for each in robots:\n                yield each\n",
    '            yield from reversed(page["activity"])\n': '            for each in reversed(page["activity"]):\n                yield each\n',
    "return list(self.each_robot(online=online, firmware=firmware, label=label, timeout=timeout))": (
        "return [each async for each in self.each_robot(online=online, firmware=firmware, label=label, timeout=timeout)]"
    ),
    "robots, after = self.list_robots(": "robots, after = await self.list_robots(",
    "page = self.activity(": "page = await self.activity(",
    "def __enter__": "async def __aenter__",
    "def __exit__": "async def __aexit__",
    "        self.close()\n": "        await self.close()\n",
    "``timeout`` (seconds for the whole call, including retries), ``cancel`` (see `Cancel`) and, if it acts,": (
        "``timeout`` (seconds for the whole call, including retries) and, if it acts,"
    ),
    "Every method raises `PerchError`, and `Cancelled` if it is\n    cancelled.": "Every method raises `PerchError`. A task that is\n    cancelled closes its call, which removes a pending question.",
    "Raises PerchError and Cancelled.": "Raises PerchError.",
    "no robot has the label. Raises Cancelled.": "no robot has the label.",
    "until it is cancelled or closed": "until it is closed or its task is cancelled",
}


def generated() -> Dict[str, str]:
    """Returns the text of each module by its file name."""
    return {f"{name}.py": _asynchronous((package / f"{name}.py").read_text("utf-8")) for name in names}


def _asynchronous(text: str) -> str:
    for found, put in _literal.items():
        text = text.replace(found, put)
    text = re.sub(r"\n    def (?!__|robot\(|group\(|_seconds|_events_path)", r"\n    async def ", text)
    text = re.sub(rf"(?<!await )({_awaited})", r"await \1", text)
    text = re.sub(r"self\._get\(((?:[^()]|\([^()]*\))*)\)", r"(await self._get(\1))", text)
    text = re.sub(r"\(await (self\._get\((?:[^()]|\([^()]*\))*\))\)(?!\[)", r"await \1", text)
    first, rest = text.split("\n", 1)
    return f"{first}\n\n# Generated from the module of the same name by tools/generate_aio.py.\n{rest}"


def main() -> None:
    for name, text in generated().items():
        (package / "aio" / name).write_text(text, "utf-8")


if __name__ == "__main__":
    main()
