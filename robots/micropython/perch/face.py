# SPDX-License-Identifier: Apache-2.0
"""The robot's own screen: emotion, view and bubble."""

from perch.timers import Timer, cancel

EMOTIONS = ("neutral", "happy", "angry", "sad", "doubt", "sleepy")
VIEWS = ("face", "readings")


class Face:
    """`panel.face(emotion, view, text)` draws, where it is not covered."""

    def __init__(self, panel, tell):
        self._panel = panel
        self._tell = tell
        self._expiry = None
        self.emotion = "neutral"
        self.view = "face"
        self.text = None

    def set(self, emotion, view):
        self.emotion = emotion or self.emotion
        self.view = view or self.view
        self._draw()
        state = {"emotion": self.emotion, "view": self.view}
        self._tell("face", **state)
        return state

    def say(self, text, seconds):
        cancel(self._expiry)
        self.text = text
        self._expiry = Timer(seconds * 1000, self._end)
        self._draw()
        self._tell("bubble", text=text, seconds=seconds)

    def _end(self):
        self.text = None
        self._draw()
        self._tell("bubble", text=None, seconds=0)

    def _draw(self):
        self._panel.face(self.emotion, self.view, self.text)
