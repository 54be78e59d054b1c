# SPDX-License-Identifier: Apache-2.0
"""The robot's own screen: emotion, view and bubble."""

from perch.timers import Timer, cancel

EMOTIONS = ("neutral", "happy", "angry", "sad", "doubt", "sleepy")
VIEWS = ("face", "readings")


class Face:
    """`panel.face(emotion, view, text, picture)` draws, unless covered."""

    def __init__(self, panel, tell):
        self._panel = panel
        self._tell = tell
        self._expiry = None
        self.emotion = "neutral"
        self.view = "face"
        self.text = None
        self.picture = None

    def set(self, emotion, view):
        self.emotion = emotion or self.emotion
        self.view = view or self.view
        self._draw()
        state = {"emotion": self.emotion, "view": self.view}
        self._tell("face", **state)
        return state

    def say(self, text, seconds, picture=None):
        """A picture shows the text, and is drawn in its place."""
        cancel(self._expiry)
        self.text = text
        self.picture = picture
        self._expiry = Timer(seconds * 1000, self._end)
        self._draw()
        self._tell("bubble", text=text, seconds=seconds,
                   format=picture and picture.format,
                   file=picture and self._panel.keep("bubble", picture))

    def _end(self):
        self.text = self.picture = None
        self._draw()
        self._tell("bubble", text=None, seconds=0)

    def _draw(self):
        self._panel.face(
            self.emotion, self.view, self.text, self.picture)
