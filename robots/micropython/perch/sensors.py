# SPDX-License-Identifier: Apache-2.0
"""Reports the readings that have changed, at the service's pace."""

import asyncio
import gc

# On battery it reports in every fifth interval only.
BATTERY_INTERVALS = 5


class Sensors:
    def __init__(self, robot):
        self._robot = robot
        self._reported = {}
        self._task = None

    def start(self, every_ms):
        self.stop()
        self._reported = {}
        self._task = asyncio.create_task(self._run(max(500, every_ms)))

    def stop(self):
        if self._task is not None:
            self._task.cancel()
            self._task = None

    def report(self):
        changed = {}
        for name, value in self.readings().items():
            if self._reported.get(name, self) != value:
                changed[name] = self._reported[name] = value
        self._robot.link.send({"t": "sensors", "values": changed})
        self._robot.tell("sensors", values=changed)

    def readings(self):
        robot = self._robot
        values = {
            "uptime_s": robot.clock.ms() // 1000,
            "utc_offset_min": 0,
            "heap_free_kb": gc.mem_free() // 1024,
        }
        if robot.clock.unix_s() is not None:
            values["time_unix_s"] = robot.clock.unix_s()
        if robot.head is not None:
            values["head_yaw_deg"] = robot.head.yaw
            values["head_pitch_deg"] = robot.head.pitch
            values["head_moving"] = robot.head.moving
        try:
            values.update(robot.board.readings())
        except Exception as error:
            robot.log("warn", "readings: %s" % error)
        return values

    async def _run(self, every_ms):
        while True:
            self.report()
            for _ in range(BATTERY_INTERVALS):
                await asyncio.sleep_ms(every_ms)
                if not self._rests():
                    break

    def _rests(self):
        """Whether it runs on battery, as the last report said."""
        if self._reported.get("usb_power") is not False:
            return False
        try:
            return self._robot.board.readings().get("usb_power") is False
        except Exception:
            return False
