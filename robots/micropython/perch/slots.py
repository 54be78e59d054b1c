# SPDX-License-Identifier: Apache-2.0
"""The two slots of updates, of which main.py starts one."""

import json
import os


class Slots:
    def __init__(self, folder):
        self._path = folder + "/boot.json"
        self._folder = folder + "/slots"
        try:
            with open(self._path) as file:
                self._state = json.load(file)
        except (OSError, ValueError):
            self._state = {}
        self.cause = self._state.get("cause")
        self.error = self._state.get("error")
        # The version that did not work after an update.
        self.failed = self._state.get("failed")

    @property
    def on_trial(self):
        return "starts" in self._state

    def note(self, error):
        """Why the program on trial was not welcomed, for the one before."""
        self._state["error"] = error
        self._save()

    def proven(self):
        """The program was welcomed: it stays, and its start has been told."""
        kept = {}
        for name in ("slot", "version"):
            if self._state.get(name) is not None:
                kept[name] = self._state[name]
        if kept != self._state:
            self._state = kept
            self._save()

    def empty(self):
        """Returns the folder of the slot that does not run, without files."""
        if "slots" not in os.listdir(self._folder.rsplit("/", 1)[0]):
            os.mkdir(self._folder)
        slot = self._other()
        if slot in os.listdir(self._folder):
            remove(self._folder + "/" + slot)
        os.mkdir(self._folder + "/" + slot)
        return self._folder + "/" + slot

    def begin_trial(self, version):
        """The next start is from the slot that `empty` returned."""
        self._state = {"slot": self._other(), "version": version,
                       "before": self._state.get("slot"),
                       "starts": 0, "cause": "update"}
        self._save()

    def _other(self):
        return "b" if self._state.get("slot") == "a" else "a"

    def _save(self):
        with open(self._path + ".new", "w") as file:
            json.dump(self._state, file)
        os.rename(self._path + ".new", self._path)


def remove(path):
    """Removes a file, or a folder with all that is in it."""
    if os.stat(path)[0] & 0x4000:
        for name in os.listdir(path):
            remove(path + "/" + name)
        os.rmdir(path)
    else:
        os.remove(path)
