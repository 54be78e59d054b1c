# SPDX-License-Identifier: Apache-2.0
"""The robot's settings: a JSON file, replaced as a whole."""

import json
import os


class Settings:
    def __init__(self, path):
        self._path = path
        try:
            with open(path) as file:
                self._values = json.load(file)
        except (OSError, ValueError):
            self._values = {}

    def get(self, name, default=None):
        value = self._values.get(name)
        return default if value is None else value

    def save(self, **values):
        """Replaces the file in one step: a power cut leaves one of both."""
        self._values.update(values)
        with open(self._path + ".new", "w") as file:
            json.dump(self._values, file)
        os.rename(self._path + ".new", self._path)
