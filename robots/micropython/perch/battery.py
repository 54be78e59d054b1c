# SPDX-License-Identifier: Apache-2.0
"""A battery that is nearly empty: said, dimmed, and the head rests."""

import asyncio

LOOK_MS = 5000
LOW_PCT, ENOUGH_PCT = 10, 20
# A gauge that has not measured yet says 0 %.
LOW_V = 3.7
LOOKS = 3


class Battery:
    def __init__(self, robot):
        self._robot = robot
        self._looks = 0
        self._took_head = False
        self.low = False

    async def run(self):
        robot = self._robot
        while True:
            await asyncio.sleep_ms(LOOK_MS)
            self._look()
            if self.low and robot.head is not None:
                await self._take_head()
            elif self._took_head and not self.low:
                self._took_head = False
                if robot.servos is None:
                    robot.regain("head")
                else:
                    robot.servos.start()

    def _look(self):
        robot = self._robot
        values = robot.board.readings()
        pct, volts = values.get("battery_pct"), values.get("battery_v")
        if values.get("usb_power") is not False:
            self.low, self._looks = False, 0
        elif pct is not None and pct >= ENOUGH_PCT:
            self.low, self._looks = False, 0
        elif pct is not None and 0 <= pct <= LOW_PCT and (
                volts is None or volts < LOW_V):
            self._looks += 1
            if self._looks >= LOOKS and not self.low:
                self.low = True
                robot.log("warn", "battery: %d %%" % pct)

    async def _take_head(self):
        robot = self._robot
        await robot.head.rest()
        # Its bus may have been lost on the way.
        if robot.head is None:
            return
        robot.lose("head", "battery low")
        self._took_head = True
        if robot.servos is not None:
            try:
                robot.servos.stop()
            except OSError as error:
                robot.log("warn", "servos: %r" % error)
