# SPDX-License-Identifier: Apache-2.0
"""Plays one sound at a time from a ring of samples, on credit."""

import asyncio
import time

from perch.args import bad_args
from perch.media import AUDIO

BUFFER_BYTES = 98304
RATES = (16000, 24000)
SAMPLE_BYTES = 2
FLOW_MS = 200
STEP_MS = 20
# The loudness is that of this many samples, and this many bytes apart.
LEVEL_SAMPLES, LEVEL_STEP = 40, 64
# Opens the mouth wide: 0.22 of full scale.
LOUD = 7209
# A part that is later than this ends the sound.
GAP_MS = 100


class Sound:
    kind = AUDIO

    def __init__(self, speaker, stream, name, rate, size):
        self._speaker = speaker
        self.stream = stream
        self.id = name
        self.rate = rate
        # None until the last part of a sound whose size was not announced.
        self.bytes = size
        self.received = 0
        self.written = 0
        self.credit = BUFFER_BYTES
        self.gaps = 0
        self.started = False
        self.done = None
        self.settle = None

    def take(self, payload):
        self._speaker.take(self, payload)

    def fail(self, _error):
        self._speaker.end(self, "underrun")


class Speaker:
    """`player` has begin, room, write, left_ms, stop and set_volume.

    `keep_playing(last)` follows each attempt to write: a player that takes
    samples in larger pieces begins an incomplete one where it must.
    """

    def __init__(self, player, send, ended, tell, violation):
        self._player = player
        self._send = send
        self._ended = ended
        self._tell = tell
        self._violation = violation
        self._ring = memoryview(bytearray(BUFFER_BYTES))
        self._read = 0
        self._used = 0
        # Whose samples are in the ring.
        self._owner = None
        self.playing = None
        self.volume = 50

    def set_volume(self, pct):
        self.volume = pct
        self._player.set_volume(pct)
        self._tell("volume", pct=pct)

    def take(self, sound, payload):
        size = len(payload)
        if sound.done is not None:
            sound.received += size
            return
        if self._owner is not sound:
            self._give_ring(sound)
        if sound.received + size > sound.credit:
            self._violation("stream %d: beyond its credit" % sound.stream)
        if self._used + size > BUFFER_BYTES:
            raise bad_args("more samples than the buffer holds")
        at = (self._read + self._used) % BUFFER_BYTES
        first = min(size, BUFFER_BYTES - at)
        self._ring[at:at + first] = payload[:first]
        self._ring[:size - first] = payload[first:]
        self._used += size
        sound.received += size
        self._start(sound)

    def play(self, sound):
        if sound.done is not None:
            return
        if self.playing is not None:
            self.end(self.playing, "stopped")
        self.playing = sound
        self._tell("sound", stream=sound.stream, id=sound.id,
                   rate=sound.rate, bytes=sound.bytes)
        if self._owner is not sound:
            self._give_ring(sound)
        self._start(sound)

    def stop(self):
        if self.playing is not None:
            self.end(self.playing, "stopped")

    def end(self, sound, reason):
        if sound.done is not None:
            return
        if self.playing is sound:
            self._told(sound)
            self.playing = None
        sound.done = reason
        if sound.started:
            self._player.stop()
        if self._owner is sound:
            self._owner = None
            self._used = 0
        self._ended(sound.stream)
        if sound.settle is not None:
            sound.settle(reason)
        self._send({"t": "play_done", "stream": sound.stream,
                    "reason": reason})
        self._tell("playDone", stream=sound.stream, id=sound.id,
                   reason=reason)

    def report(self):
        """Grants credit for what has been played."""
        sound = self.playing
        if sound is None:
            return
        played = self._played_bytes(sound)
        free = max(0, BUFFER_BYTES - (sound.received - played))
        played_ms = played * 1000 // (SAMPLE_BYTES * sound.rate)
        flow = {"t": "flow", "stream": sound.stream,
                "received": sound.received, "free": free,
                "played_ms": played_ms}
        if self._send(flow):
            sound.credit = max(sound.credit, sound.received + free)
        self._told(sound)

    def _told(self, sound):
        self._tell("flow", stream=sound.stream, received=sound.received,
                   bytes=sound.bytes, gaps=sound.gaps,
                   playedMs=self._played_bytes(sound) * 1000
                   // (SAMPLE_BYTES * sound.rate))

    def loudness(self):
        """Returns how loud the samples are that are heard now, 0 to 256.

        The ring still has them: only a full one has replaced a part.
        """
        sound = self.playing
        if sound is None or not sound.started:
            return 0
        ahead = self._player.left_ms() * SAMPLE_BYTES * sound.rate // 1000
        at = (self._read - ahead) & ~1
        total = 0
        for i in range(0, LEVEL_SAMPLES * LEVEL_STEP, LEVEL_STEP):
            place = (at + i) % BUFFER_BYTES
            value = self._ring[place] | self._ring[place + 1] << 8
            if value >= 32768:
                value -= 65536
            total += value * value >> 8
        rms = 16 * (total // LEVEL_SAMPLES) ** 0.5
        return min(256, int(rms * 256 / LOUD))

    def _give_ring(self, sound):
        """A sound whose first part arrives ends the one before."""
        if self._owner is not None:
            self.end(self._owner, "stopped")
        self._owner = sound
        self._read = self._used = 0

    def _start(self, sound):
        if self.playing is not sound or sound.started:
            return
        whole = sound.received == sound.bytes
        if self._used < SAMPLE_BYTES * sound.rate and not whole:
            return
        sound.started = True
        place = self._player.begin(sound.rate, self.volume)
        self._feed(sound)
        self._tell("begun", stream=sound.stream, file=place)
        if sound.settle is not None:
            sound.settle("begun")
        asyncio.create_task(self._pump(sound))

    def _played_bytes(self, sound):
        if not sound.started or sound.done is not None:
            return sound.written
        left = self._player.left_ms() * SAMPLE_BYTES * sound.rate // 1000
        return max(0, sound.written - left)

    def _feed(self, sound):
        for _ in range(2):
            size = min(self._player.room(), self._used,
                       BUFFER_BYTES - self._read) & ~1
            if size <= 0:
                break
            self._player.write(self._ring[self._read:self._read + size])
            self._read = (self._read + size) % BUFFER_BYTES
            self._used -= size
            sound.written += size
        last = self._used == 0 and sound.received == sound.bytes
        self._player.keep_playing(last)

    async def _pump(self, sound):
        reported = time.ticks_add(time.ticks_ms(), -FLOW_MS)
        empty_since = None
        while sound.done is None:
            self._feed(sound)
            now = time.ticks_ms()
            if self._used == 0 and self._player.left_ms() == 0:
                if sound.received == sound.bytes:
                    self.end(sound, "end")
                    return
                if empty_since is None:
                    empty_since = now
                    self.report()
                elif time.ticks_diff(now, empty_since) > GAP_MS:
                    self.end(sound, "underrun")
                    return
            elif empty_since is not None:
                empty_since = None
                sound.gaps += 1
            if time.ticks_diff(now, reported) >= FLOW_MS:
                reported = now
                self.report()
            await asyncio.sleep_ms(STEP_MS)
