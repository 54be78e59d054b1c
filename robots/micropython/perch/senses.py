# SPDX-License-Identifier: Apache-2.0
"""What a body feels, as inputs of the link. A board hands in its drivers.

A sense has `every_ms` and `poll(now)`; one that fails several times in a row
is left out, and the others go on.
"""

import asyncio
import binascii
import time
from array import array

FAILURES_MAX = 5
FAILED_MS = 500
HEAD_ZONES = 3


async def watch(name, sense, lost):
    """Polls a sense until it has failed too often; then `lost(name, why)`."""
    failures = 0
    while True:
        try:
            sense.poll(time.ticks_ms())
            failures = 0
            await asyncio.sleep_ms(sense.every_ms)
        except (OSError, ValueError, TypeError, AttributeError) as error:
            failures += 1
            if failures >= FAILURES_MAX:
                lost(name, repr(error))
                return
            await asyncio.sleep_ms(FAILED_MS)


class ScreenTouch:
    """`touch` has getCount, getX and getY; `update` reads the panel."""

    every_ms = 20

    def __init__(self, update, touch, report):
        self._update = update
        self._touch = touch
        self._report = report
        self._at = None
        self._samples = 0

    def poll(self, _now):
        self._update()
        if self._touch.getCount() > 0:
            place = {"x": self._touch.getX(), "y": self._touch.getY()}
            if self._at is None:
                self._samples = 0
                self._report("touch_down", dict(place))
            self._at = place
            self._samples += 1
        elif self._at is not None:
            place, self._at = self._at, None
            if self._samples == 1:
                # However late the next sample came: the panel may report
                # a touch once that nobody made, and it answers nothing.
                place["held_ms"] = self.every_ms
            self._report("touch_up", place)


class PowerKey:
    """Of the same `update` as the touch of the screen."""

    every_ms = 20

    def __init__(self, button, report):
        self._button = button
        self._report = report

    def poll(self, _now):
        if self._button.wasHold():
            self._report("power_key", {"press": "long"})
        elif self._button.wasClicked():
            self._report("power_key", {"press": "short"})


class HeadTouch:
    """`zones()` returns how strongly each zone is touched, 0 to 3.

    While the servos' supply comes up all read as touched: what begins before
    `armed(ms)` is no touch.
    """

    every_ms = 30
    ARMED_MS = 3000

    def __init__(self, zones, report, armed):
        self._zones = zones
        self._armed = armed
        self._blind = False
        self._report = report
        self._down = None
        self._first = self._last = 0
        self._swiped = False

    def poll(self, now):
        zones = self._zones()
        if len(zones) != HEAD_ZONES:
            raise ValueError("%d zones" % len(zones))
        strongest = max(zones)
        if not self._armed(self.ARMED_MS):
            self._blind = True
        if strongest <= 0:
            self._blind = False
        if strongest <= 0 or self._blind:
            if self._down is not None:
                held = time.ticks_diff(now, self._down)
                self._down = None
                self._report("head_up", {"zone": self._last,
                                         "held_ms": held})
            return
        zone = zones.index(strongest)
        if self._down is None:
            self._down, self._first, self._swiped = now, zone, False
            self._report("head_down", {"zone": zone})
        self._last = zone
        if zone != self._first and not self._swiped:
            self._swiped = True
            way = "back" if zone > self._first else "forward"
            self._report("head_swipe", {"zone": zone, "dir": way})


class Motion:
    """Bursts of acceleration: from 150 ms before a change to 1.2 s after."""

    every_ms = 20
    BEFORE, AFTER = 8, 60
    CHANGE_G = 0.05

    def __init__(self, accel, is_turning, report):
        self._accel = accel
        self._is_turning = is_turning
        self._report = report
        self._ring = array("f", [0] * 3 * (self.BEFORE + self.AFTER))
        self._times = array("i", [0] * (self.BEFORE + self.AFTER))
        self._count = 0
        self._left = 0
        self._usual = None

    def poll(self, now):
        size = self.BEFORE + self.AFTER
        x, y, z = self._accel()
        at = self._count % size
        self._ring[3 * at] = x
        self._ring[3 * at + 1] = y
        self._ring[3 * at + 2] = z
        self._times[at] = now
        self._count += 1
        usual = self._usual
        if usual is None:
            self._usual = [x, y, z]
            return
        change = max(abs(x - usual[0]), abs(y - usual[1]), abs(z - usual[2]))
        usual[0] += (x - usual[0]) / 8
        usual[1] += (y - usual[1]) / 8
        usual[2] += (z - usual[2]) / 8
        if self._left > 0:
            self._left -= 1
            if self._left == 0:
                self._tell()
        elif (change >= self.CHANGE_G and self._count > self.BEFORE
              and not self._is_turning()):
            self._left = self.AFTER

    def _tell(self):
        # The head has begun to turn meanwhile: it was the robot itself.
        if self._is_turning():
            return
        size = self.BEFORE + self.AFTER
        count = min(size, self._count)
        samples = []
        for i in range(self._count - count, self._count):
            at = 3 * (i % size)
            samples.append([round(self._ring[at + axis], 3)
                            for axis in range(3)])
        ms = time.ticks_diff(self._times[(self._count - 1) % size],
                             self._times[(self._count - count) % size])
        hz = round((count - 1) * 1000 / max(1, ms), 1)
        self._report("imu_burst", {"hz": hz, "samples": samples})


class Nearness:
    every_ms = 100
    CHANGE, AFTER_MS = 16, 1000

    def __init__(self, proximity, report):
        self._proximity = proximity
        self._report = report
        self._told = None
        self._changed_at = None

    def poll(self, now):
        raw = min(2047, max(0, self._proximity()))
        if self._told is None:
            self._told = raw
        if abs(raw - self._told) >= self.CHANGE:
            self._changed_at = now
        if self._changed_at is None:
            return
        self._told = raw
        self._report("prox", {"raw": raw})
        if time.ticks_diff(now, self._changed_at) > self.AFTER_MS:
            self._changed_at = None


class Remote:
    """`receiver.read()`: (address, command) of a press, or None.

    Both are the 16 bits as they came: the firmware reads frames of NEC's
    form alone, and does not compare a byte with its inverse.
    """

    every_ms = 50
    HEAD_US, MARK_US, ONE_US = (9000, 4500), 560, 1690

    def __init__(self, receiver, report):
        self._receiver = receiver
        self._report = report

    def poll(self, _now):
        got = self._receiver.read()
        if got is None:
            return
        address, command = got
        if (command >> 8) ^ (command & 0xFF) != 0xFF:
            # Two bytes of command: the service has a name for such codes.
            self._report("ir", {"raw_us": self._lengths(
                command << 16 | address)})
            return
        # Of the first NEC, the second byte is the first one inverted.
        if (address >> 8) ^ (address & 0xFF) == 0xFF:
            address &= 0xFF
        self._report("ir", {"address": address, "command": command & 0xFF})

    def _lengths(self, bits):
        lengths = list(self.HEAD_US)
        for i in range(32):
            lengths.append(self.MARK_US)
            lengths.append(self.ONE_US if bits >> i & 1 else self.MARK_US)
        lengths.append(self.MARK_US)
        return lengths


class Supply:
    """`volts_mv()` of USB; the state at the start is no input."""

    every_ms = 500
    PRESENT_MV = 4000

    def __init__(self, volts_mv, report):
        self._volts_mv = volts_mv
        self._report = report
        self._present = None

    def poll(self, _now):
        present = self._volts_mv() >= self.PRESENT_MV
        if self._present not in (None, present):
            self._report("usb", {"present": present})
        self._present = present


class Tags:
    """Stickers: `nfc.detect()` takes up to 50 ms, so not while it plays."""

    EVERY_MS = 350
    MISSED = 2
    FIRST_PAGE, QUADS_MAX = 4, 16
    TYPE2 = ("MIFARE_Ultralight", "NTAG")

    def __init__(self, nfc, is_playing, report):
        self._nfc = nfc
        self._is_playing = is_playing
        self._report = report
        self._held = None
        self._missed = 0

    async def run(self, lost):
        failures = 0
        while True:
            await asyncio.sleep_ms(self.EVERY_MS)
            if self._is_playing():
                continue
            try:
                await self._look()
                failures = 0
            except (OSError, ValueError, TypeError, AttributeError) as error:
                failures += 1
                if failures >= FAILURES_MAX:
                    lost("nfc", repr(error))
                    return

    async def _look(self):
        card = self._nfc.detect()
        uid = card and binascii.hexlify(card.uid).decode()
        if uid == self._held:
            self._missed = 0
            return
        if uid is None:
            self._missed += 1
            if self._missed < self.MISSED:
                return
        if self._held is not None:
            self._report("nfc_out", {"uid": self._held})
        self._held, self._missed = uid, 0
        if uid is None:
            return
        fields = {"uid": uid, "type": card.type_name}
        if card.type_name.startswith(self.TYPE2):
            data = await self._memory()
            if data:
                text = binascii.b2a_base64(data).decode().strip()
                fields["ndef_b64"] = text
        self._report("nfc_in", fields)

    async def _memory(self):
        """Reads four pages a turn, up to the end of the message."""
        data, size = b"", None
        for quad in range(self.QUADS_MAX):
            await asyncio.sleep_ms(0)
            part = self._nfc.chip.type2_read_quad(self.FIRST_PAGE + 4 * quad)
            if not part:
                break
            data += part
            if quad == 0 and data[0] == 3 and data[1] < 255:
                size = data[1] + 2
            if size is not None and len(data) >= size:
                break
        return data
