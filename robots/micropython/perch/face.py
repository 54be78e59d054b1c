# SPDX-License-Identifier: Apache-2.0
"""The robot's own screen: emotion, view, bubble, notices, and its life."""

import asyncio
import time

from perch.draw import FaceDrawing
from perch.life import Life
from perch.motion import motion_of
from perch.own_screen import Bubble, Notice, Pairing, draw_readings
from perch.screen import LAYERS
from perch.timers import Timer, cancel

EMOTIONS = ("neutral", "happy", "angry", "sad", "doubt", "sleepy")
VIEWS = ("face", "readings")
FRAME_MS = 100
# A card covers the face: look again whether it still does.
COVERED_MS = 200
READINGS_MS = 1000


class Face:
    """`panel.canvas` draws, and `panel.flush()` shows what was drawn.

    A screen that is slow is drawn in `panel.bands`, each whole: a turn of
    the loop takes as long as one.

    `covered()` tells whether a card or question is shown instead, and
    `hide(layers)` leaves pictures out that a notice or the code replaces.
    `loudness()` how wide a sound opens the mouth, `readings()` what the
    view of the readings shows.
    """

    def __init__(self, panel, tell, covered, hide, loudness, readings):
        self._panel = panel
        self._tell = tell
        self._covered = covered
        self._hide = hide
        self._loudness = loudness
        self._readings = readings
        self._expiry = None
        self._bubble = None
        self._notice = None
        self._hint = None
        self._pairing = None
        self._choice = None
        self._life = Life()
        self._drawing = FaceDrawing(panel.canvas)
        self._began = time.ticks_ms()
        self._still = None
        self.emotion = "neutral"
        self.view = "face"

    def set(self, emotion, view):
        self.emotion = emotion or self.emotion
        self.view = view or self.view
        self._feel()
        state = {"emotion": self.emotion, "view": self.view}
        self._tell("face", **state)
        return state

    def say(self, text, seconds, picture=None):
        """A picture shows the text, and is drawn in its place."""
        cancel(self._expiry)
        self._bubble = Bubble(self._panel.canvas, text, picture)
        self._life.speak(text, self._ms())
        self._expiry = Timer(seconds * 1000, self._end)
        self._feel()
        self._tell("bubble", text=text, seconds=seconds,
                   format=picture and picture.format,
                   file=picture and self._panel.keep("bubble", picture))

    def notice(self, name=None, detail=None):
        """`name` is one of NOTICES; None: the robot is online."""
        self._notice = name and Notice(name, detail)
        self._feel()
        self._hide_pictures()

    def hint(self, name=None, detail=None):
        """A notice below an awake face, which hides nothing."""
        self._hint = name and Notice(name, detail)
        self._feel()

    def hint_at(self, y):
        """Whether the hint is what can be seen there."""
        return (self._hint is not None and self._above() is self._hint
                and self._whole() is None and self.view == "face"
                and not self._covered() and y >= self._hint.top)

    def show_code(self, code=None, uri=None):
        self._pairing = code and Pairing(code, uri)
        self._show_whole()

    def ask(self, choice=None):
        """A question of the robot itself; `choice` draws it."""
        self._choice = choice
        self._show_whole()

    def _show_whole(self):
        self._still = None
        self._hide_pictures()

    def _whole(self):
        """What takes the place of the face."""
        return self._pairing or self._choice

    def _above(self):
        return self._notice or self._bubble or self._hint

    def _hide_pictures(self):
        """A question stays: its answer is kept until the robot is online."""
        if self._pairing is not None:
            self._hide(LAYERS)
        else:
            self._hide(("card",) if self._notice or self._choice else ())

    def touched(self, kind, fields):
        """Feels an input."""
        ms = self._ms()
        if kind == "head_down":
            self._life.react("petted", ms)
        elif kind == "head_up":
            self._life.release("petted", ms)
        elif kind == "imu_burst":
            felt = motion_of(fields["samples"], fields["hz"])
            if felt is not None:
                self._life.react(felt, ms, ms)

    async def live(self):
        while True:
            wait = COVERED_MS
            if self._covered():
                self._still = None
            else:
                wait = await self._draw_in_turns()
            await asyncio.sleep_ms(wait)

    def draw(self, still=False):
        """Draws what it shows now, without movement if `still`."""
        paint, _ = self._next(still)
        for band in range(self._panel.bands if paint else 0):
            self._panel.begin(band)
            paint()
            self._panel.flush()

    async def _draw_in_turns(self):
        """Lets other tasks run between parts; returns ms to the next."""
        paint, wait = self._next(False)
        for band in range(self._panel.bands if paint else 0):
            self._panel.begin(band)
            paint()
            await asyncio.sleep_ms(0)
            if self._covered():
                return COVERED_MS
            self._panel.flush()
            await asyncio.sleep_ms(0)
        return wait

    def _next(self, still):
        """Returns (what paints one band or None, ms until the next)."""
        above = self._above()
        canvas = self._panel.canvas
        whole = self._whole()
        if whole is not None:
            if self._still is whole:
                return None, COVERED_MS
            self._still = whole
            return lambda: whole.draw(canvas), COVERED_MS
        self._still = None
        if self.view == "readings" and above is None:
            readings = self._readings()
            return lambda: draw_readings(canvas, readings), READINGS_MS
        if still:
            self._life.rest()
        else:
            self._life.at(self._ms(), self._loudness())
        return lambda: self._paint(above), FRAME_MS

    def _paint(self, above):
        self._drawing.draw(self._life.pose, self._life.place)
        if above is not None:
            above.draw(self._panel.canvas)

    def _ms(self):
        """A small integer: it wraps after days, and the face may jump."""
        return time.ticks_diff(time.ticks_ms(), self._began) & 0x1FFFFFFF

    def _end(self):
        self._bubble = None
        self._life.hush(self._ms())
        self._feel()
        self._tell("bubble", text=None, seconds=0)

    def _feel(self):
        ms, above = self._ms(), self._above()
        self._life.feel("asleep" if self._notice else self.emotion, ms)
        self._life.move_above(above.top if above else None, ms)
