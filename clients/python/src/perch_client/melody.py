from __future__ import annotations

import re
from typing import Callable, Dict, Optional


def cut_melody(notes: str, seconds: float = 30) -> str:
    """Returns the beginning of a melody that plays for at most 30 s, or `seconds`: of ``<note>:<ms>`` entries, or of a tune in RTTTL
    (``name:d=4,o=5,b=100:8c,8e,g``). Only whole notes are left out. What is wrong with a note is left to the service."""
    head = _tune_head(notes)
    entries = re.findall(r"\S+\s*", notes) if head is None else notes[len(head) :].split(",")
    ms_of = _note_ms if head is None else _tune_times(head)
    total = 0.0
    for index, entry in enumerate(entries):
        total += ms_of(entry)
        # The service rounds the end of each note of a tune.
        if total >= 1000 * seconds + 0.5:
            return (head or "") + ("" if head is None else ",").join(entries[:index]).rstrip()
    return notes


def _tune_head(notes: str) -> Optional[str]:
    """Returns a tune in RTTTL up to its last colon, None for any other text: one of notes has no equals sign and no two colons in a row."""
    name, colon, rest = notes.partition(":")
    if colon and "=" in name:
        return name + colon
    settings, second, _ = rest.partition(":")
    if second and (settings.strip() == "" or "=" in settings):
        return name + colon + settings + second
    return None


def _note_ms(entry: str) -> float:
    ms = re.search(r":([0-9]+)\s*$", entry)
    return int(ms.group(1)) if ms else 0


def _tune_times(head: str) -> Callable[[str], float]:
    """Returns a function for the ms of each entry of a tune, in their order: an entry may be a setting of those after it."""
    settings: Dict[str, int] = {"d": 4, "b": 63}

    def is_setting(entry: str) -> bool:
        pair = re.match(r"([a-z])=([0-9]+)$", entry)
        if pair:
            settings[pair.group(1)] = int(pair.group(2))
        return pair is not None

    def ms_of(text: str) -> float:
        entry = re.sub(r"\s+", "", text).lower()
        if entry == "" or is_setting(entry):
            return 0
        length = re.match(r"[0-9]+", entry)
        parts = settings["b"] * (int(length.group()) if length else settings["d"])
        return 240_000 / parts * (2 - 0.5 ** entry.count(".")) if parts else 0

    for each in re.split("[:,]", re.sub(r"\s+", "", head).lower()):
        is_setting(each)
    return ms_of
