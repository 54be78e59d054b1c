# SPDX-License-Identifier: Apache-2.0
"""LEDs, infrared, gauges and Wi-Fi of a StackChan, over what it is given."""

import asyncio
import time

LEDS = 12
FAILURES_MAX = 3
# A bus that is slow gets fewer pictures of an effect.
SLOW_MS, SLOW_EVERY_MS = 12, 250
GAUGE_MS, GAUGES_MS = 60, 1500
WIFI_MS, WIFI_AGAIN_MS, WIFI_LOOK_MS = 20000, 2000, 1000
# How long without a network until the radio is switched off and on, and
# until the chip is restarted.
RADIO_MS, RADIO_OFF_MS, CHIP_MS = 180000, 1000, 1800000


class Strip:
    """LED i of the link is LED i of the chain, left side first."""

    def __init__(self, rgb, lost):
        rgb.set_color(0, 0, refresh=True)
        self._rgb = rgb
        self._lost = lost
        self._shown = bytearray(3 * LEDS)
        self._failures = 0
        self._slow = False
        self._wrote_at = time.ticks_add(time.ticks_ms(), -SLOW_EVERY_MS)
        self._waiting = None

    def write(self, lights):
        """Lights what differs; a failure is no error of the command."""
        now = time.ticks_ms()
        since = time.ticks_diff(now, self._wrote_at)
        self._waiting = None
        if self._slow and since < SLOW_EVERY_MS:
            # The last one of a burst is written by `catch_up`.
            self._waiting = bytes(lights)
            return
        changed = False
        try:
            for i in range(LEDS):
                color = lights[3 * i:3 * i + 3]
                if color != self._shown[3 * i:3 * i + 3]:
                    changed = True
                    self._rgb.set_color(
                        i, color[0] << 16 | color[1] << 8 | color[2],
                        refresh=False)
            if changed:
                self._rgb.refresh()
            self._shown[:] = lights
            self._failures = 0
        except OSError as error:
            self._failures += 1
            if self._failures >= FAILURES_MAX:
                self._lost("leds", repr(error))
        self._wrote_at = time.ticks_ms()
        if changed:
            self._slow = time.ticks_diff(self._wrote_at, now) > SLOW_MS

    def catch_up(self):
        if self._waiting is not None:
            self.write(self._waiting)


class Infrared:
    """NEC both ways."""

    def __init__(self, driver, receive_pin, send_pin):
        self._code = self._driver = None
        self._driver = driver(receive_pin, send_pin, self._note)

    def read(self):
        """Address and command of the last press, 16 bits each, or None."""
        code, self._code = self._code, None
        return code

    def send(self, address, command):
        """The driver sends 16 bits each, and inverts no byte itself."""
        if address <= 255:
            address |= (address ^ 0xFF) << 8
        self._driver.send(address, command | (command ^ 0xFF) << 8)

    def _note(self, _argument):
        """Reads at once: the driver keeps one code.

        The repeat code of a held button takes its place 50 ms later.
        """
        code = self._driver and self._driver.read()
        if code and not code[2]:
            self._code = code[:2]


class Gauges:
    """Readings, one a turn; one that fails is null until it works again."""

    def __init__(self):
        self._all = []
        self.values = {}

    def add(self, name, read):
        """`read` returns the value, or None where there is none."""
        self._all.append((name, read))

    async def run(self):
        while True:
            for name, read in self._all:
                try:
                    value = read()
                except Exception:
                    value = None
                if value is not None or name in self.values:
                    self.values[name] = value
                await asyncio.sleep_ms(GAUGE_MS)
            await asyncio.sleep_ms(GAUGES_MS)


class Wifi:
    """Joins the network of the settings, else the firmware's own."""

    def __init__(self, wlan, name, password):
        self._wlan = wlan
        self._name = name
        self._password = password
        wlan.active(True)

    @property
    def connected(self):
        return self._wlan.isconnected()

    def rssi(self):
        return self._wlan.status("rssi") if self.connected else None

    def address(self):
        return self._wlan.ifconfig()[0] if self.connected else None

    def ssid(self):
        return self._name if self.connected else None

    async def run(self, log, restart):
        """`restart(why)` restarts the chip, where that loses nothing."""
        if not self._name:
            log("Wi-Fi: no network is set; use M5Burner or the installer")
            return
        gone_ms = radio_ms = 0
        seen = time.ticks_ms()
        while True:
            if not self.connected:
                await self._join(log)
            await asyncio.sleep_ms(WIFI_LOOK_MS)
            now = time.ticks_ms()
            since, seen = time.ticks_diff(now, seen), now
            if self.connected:
                gone_ms = radio_ms = 0
                continue
            gone_ms += since
            radio_ms += since
            if gone_ms >= CHIP_MS:
                await restart("no Wi-Fi for half an hour")
            if radio_ms >= RADIO_MS:
                radio_ms = 0
                await self._restart_radio(log)

    async def _restart_radio(self, log):
        try:
            self._wlan.active(False)
            await asyncio.sleep_ms(RADIO_OFF_MS)
            self._wlan.active(True)
        except (OSError, RuntimeError) as error:
            log("Wi-Fi: %r" % error)

    async def _join(self, log):
        try:
            self._wlan.config(pm=0)
            self._wlan.connect(self._name, self._password)
            for _ in range(WIFI_MS // WIFI_LOOK_MS):
                await asyncio.sleep_ms(WIFI_LOOK_MS)
                if self.connected:
                    return
            self._wlan.disconnect()
        except (OSError, RuntimeError) as error:
            log("Wi-Fi: %r" % error)
        await asyncio.sleep_ms(WIFI_AGAIN_MS)
