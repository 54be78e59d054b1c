# SPDX-License-Identifier: Apache-2.0
"""Plays samples by the firmware's speaker, which plays buffers in place."""

import time

BUFFERS = 3
# One of two in the queue outlasts a picture, or the collection of garbage.
PIECE_MS = 192
RATE_MAX = 24000
SAMPLE_BYTES = 2
CHANNEL = 0
QUEUE_MAX = 2
# A piece that is not full is begun when less than this is left.
SHORT_MS = 60
# From the end of the queue until the last sample is heard.
TAIL_MS = 45


class Player:
    """The speaker copies nothing: a buffer in its queue is not written.

    While two of three are queued, the third is filled.
    """

    def __init__(self, speaker):
        speaker.begin()
        self._speaker = speaker
        size = PIECE_MS * RATE_MAX * SAMPLE_BYTES // 1000
        self._buffers = [memoryview(bytearray(size)) for _ in range(BUFFERS)]
        self._next = 0
        self._filled = 0
        self._piece = size
        self._rate = 16000
        self._until = 0

    def set_volume(self, pct):
        self._speaker.setVolumePercentage(pct / 100)

    def begin(self, rate, volume):
        self.stop()
        self.set_volume(volume)
        self._rate = rate
        self._piece = PIECE_MS * rate * SAMPLE_BYTES // 1000
        self._until = time.ticks_ms()
        return None

    def left_ms(self):
        """Of what is queued and what waits to be."""
        left = time.ticks_diff(self._until, time.ticks_ms()) + TAIL_MS
        return max(0, left) + self._ms(self._filled)

    def room(self):
        return self._piece - self._filled

    def write(self, samples):
        end = self._filled + len(samples)
        self._buffers[self._next][self._filled:end] = samples
        self._filled = end

    def keep_playing(self, last):
        if self._filled == 0:
            return
        now = time.ticks_ms()
        short = time.ticks_diff(self._until, now) < SHORT_MS
        if self._filled < self._piece and not last and not short:
            return
        if self._speaker.isPlaying(CHANNEL) >= QUEUE_MAX:
            return
        buffer = self._buffers[self._next][:self._filled]
        self._speaker.playRaw(buffer, self._rate, False, 1, CHANNEL, False)
        if time.ticks_diff(self._until, now) < 0:
            self._until = now
        self._until = time.ticks_add(self._until, self._ms(self._filled))
        self._next = (self._next + 1) % BUFFERS
        self._filled = 0

    def stop(self):
        self._speaker.stop(CHANNEL)
        self._filled = 0
        self._until = time.ticks_add(time.ticks_ms(), -TAIL_MS)

    def _ms(self, size):
        return size * 1000 // (SAMPLE_BYTES * self._rate)
