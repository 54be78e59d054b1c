# SPDX-License-Identifier: Apache-2.0
"""Numbers what people do, and keeps it until the service has it safe."""

KEPT_MAX = 256


class Inputs:
    def __init__(self, clock, send, tell, sprite_at, is_dark, noticed,
                 is_own):
        self._clock = clock
        self._send = send
        self._tell = tell
        self._sprite_at = sprite_at
        self._is_dark = is_dark
        self._noticed = noticed
        self._is_own = is_own
        self._kept = []
        self._down = None
        self.seq = 0

    def report(self, kind, fields):
        """Adds to a touch whether it was dark, how long, and on what."""
        ms = self._clock.ms()
        if self._is_own(kind, fields):
            return
        if kind == "touch_down":
            self._down = (fields["x"], fields["y"], ms)
            if self._is_dark():
                fields["dark"] = True
        elif kind == "touch_up":
            x, y, since = self._down or (fields["x"], fields["y"], ms)
            self._down = None
            if "held_ms" not in fields:
                fields["held_ms"] = ms - since
            sprite = self._sprite_at(x, y)
            if sprite is not None:
                fields["sprite"] = sprite
        self.seq += 1
        message = {"t": "in", "seq": self.seq, "ms": ms, "kind": kind}
        message.update(fields)
        self._kept.append(message)
        if len(self._kept) > KEPT_MAX:
            self._kept.pop(0)
        self._send(message)
        self._tell("input", **message)
        self._noticed(kind, fields)

    @property
    def pending(self):
        """Whether the service does not have one of them safe yet."""
        return bool(self._kept)

    def ack(self, seq):
        while self._kept and self._kept[0]["seq"] <= seq:
            self._kept.pop(0)
        self._tell("acked", seq=seq)

    def resend(self):
        for message in self._kept:
            self._send(message)
