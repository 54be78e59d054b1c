# SPDX-License-Identifier: Apache-2.0
"""How bright the screen is: set by programs, lit for a person who looks."""

from perch.timers import Timer, cancel

# In percent: from where a screen can be read, how bright one is lit that
# could not, and one that nobody uses.
READABLE, LIT, DIM = 10, 30, 8
# How long the screen stays lit after a question, and after a touch.
ASKED_MS, TOUCHED_MS = 2000, 10000


class Light:
    """`panel.light(pct)` sets the brightness; 0: the screen is dark.

    A question, and a touch of a screen that cannot be read, light it. What
    programs set meanwhile counts afterwards.
    """

    def __init__(self, panel, tell):
        self._panel = panel
        self._tell = tell
        self._pct = 80
        self._on = True
        self._unused = False
        self._asking = False
        self._lit = False
        self._expiry = None
        self._shown = None
        self._update()

    def brightness(self, pct):
        self._pct = pct
        self._update()

    def switch(self, on):
        self._on = on
        self._update()

    def dim(self, unused):
        """While nobody does anything with the robot."""
        self._unused = unused
        self._update()

    def asked(self, asking):
        if asking != self._asking:
            self._asking = asking
            self._light(None if asking else ASKED_MS)

    def touched(self):
        """Returns whether a touch begins on a screen that nobody can read."""
        dark = self._shown < READABLE
        if (dark or self._lit) and not self._asking:
            self._light(TOUCHED_MS)
        return dark

    def _light(self, ms):
        cancel(self._expiry)
        self._lit = True
        self._expiry = None if ms is None else Timer(ms, self._end)
        self._update()

    def _end(self):
        self._lit = False
        self._update()

    def _update(self):
        pct = self._pct if self._on else 0
        most = DIM
        if self._lit:
            most = LIT
            pct = LIT if self._pct < READABLE else self._pct
            if not self._on:
                pct = min(pct, LIT)
        if self._unused:
            pct = min(pct, most)
        if pct != self._shown:
            self._shown = pct
            self._panel.light(pct)
            self._tell("light", pct=pct)
