# SPDX-License-Identifier: Apache-2.0
"""The robot's own screen, a card over it, and a question over both."""

from perch.timers import Timer, cancel

LAYERS = ("card", "question")


class Screen:
    """`panel` draws: show(picture) or, without layers, show(None)."""

    def __init__(self, panel, light, clock, tell):
        self._panel = panel
        self._light = light
        self._clock = clock
        self._tell = tell
        self._layers = {"card": None, "question": None}
        self._hidden = ()
        self._expiry = None

    @property
    def covered(self):
        return self._top() is not None

    def hide(self, layers):
        """Leaves these out, until they are hidden no longer."""
        before = self._top()
        self._hidden = layers
        if self._top() is not before:
            self._redraw()

    def id_of(self, layer):
        shown = self._layers[layer]
        return None if shown is None else shown[0]

    def show(self, layer, name, picture, show_ms=None):
        if self._layers[layer] is not None:
            self._take(layer, "replaced", redraw=False)
        self._layers[layer] = (name, picture)
        if layer == "question" and show_ms is not None:
            self._expiry = Timer(show_ms, lambda: self._expire(picture))
        self._redraw()
        if layer == "question":
            self._light.asked(True)
        self._tell("picture", layer=layer, id=name, format=picture.format,
                   bytes=picture.bytes, shownMs=self._clock.ms(),
                   file=self._panel.keep(layer, picture))

    def clear(self, layer, name=None):
        """Returns whether something was taken away."""
        shown = self._layers[layer]
        if shown is None or (name is not None and shown[0] != name):
            return False
        self._take(layer, "cleared")
        return True

    def _expire(self, picture):
        shown = self._layers["question"]
        if shown is not None and shown[1] is picture:
            self._take("question", "expired")

    def _take(self, layer, why, redraw=True):
        name, picture = self._layers[layer]
        if layer == "question":
            cancel(self._expiry)
        self._layers[layer] = None
        if redraw:
            self._redraw()
            if layer == "question":
                self._light.asked(False)
        picture.release()
        self._tell("clear", layer=layer, id=name, why=why)

    def _redraw(self):
        top = self._top()
        self._panel.show(None if top is None else top[1])

    def _top(self):
        for layer in ("question", "card"):
            if layer not in self._hidden and self._layers[layer] is not None:
                return self._layers[layer]
        return None
