# SPDX-License-Identifier: Apache-2.0
"""Serial servos (SCS) on a UART; no call waits in the loop for a reply."""

import asyncio

READ, WRITE = 2, 3
# Registers. Both limits of the angle are 0 in a servo that turns as a motor.
LIMITS, TORQUE, GOAL, POSITION = 9, 40, 42, 56
# Position, speed and load, each of two bytes, voltage, temperature.
STATUS_BYTES = 8
STEP_MS = 2
STEPS = 15
LOAD_MASK, LOAD_SIGN = 0x3FF, 0x400


def packet(servo, instruction, body):
    """Returns the bytes of a request."""
    rest = bytes([servo, len(body) + 2, instruction]) + body
    return b"\xff\xff" + rest + bytes([~sum(rest) & 255])


def body_of(reply, servo, size):
    """Returns the `size` bytes that a servo has answered, or None."""
    at = reply.find(b"\xff\xff" + bytes([servo, size + 2]))
    if at < 0 or len(reply) < at + size + 6:
        return None
    rest = reply[at + 2:at + size + 6]
    if ~sum(rest[:-1]) & 255 != rest[-1]:
        return None
    return rest[3:-1]


class Bus:
    """`uart` has any(), read(n) and write(bytes). One task uses it."""

    def __init__(self, uart):
        self._uart = uart

    async def set_torque(self, servo, on):
        return await self._write(servo, TORQUE, bytes([1 if on else 0]))

    async def go(self, servo, position, ms):
        """Returns whether the servo has taken the goal."""
        return await self._write(servo, GOAL, bytes([
            position >> 8, position & 255, ms >> 8, ms & 255, 0, 0]))

    async def limits(self, servo):
        """Returns (lowest, highest position), or None."""
        got = await self._ask(servo, READ, bytes([LIMITS, 4]), 4)
        return got and (got[0] << 8 | got[1], got[2] << 8 | got[3])

    async def set_limits(self, servo, low, high):
        return await self._write(servo, LIMITS, bytes([
            low >> 8, low & 255, high >> 8, high & 255]))

    async def status(self, servo):
        """Returns (position, load in %, temperature), or None."""
        got = await self._ask(
            servo, READ, bytes([POSITION, STATUS_BYTES]), STATUS_BYTES)
        if got is None:
            return None
        load = got[4] << 8 | got[5]
        pct = min(100, (load & LOAD_MASK) // 10)
        if load & LOAD_SIGN:
            pct = -pct
        return got[0] << 8 | got[1], pct, got[7]

    async def _write(self, servo, address, data):
        body = bytes([address]) + data
        return await self._ask(servo, WRITE, body, 0) is not None

    async def _ask(self, servo, instruction, body, size):
        while self._uart.any():
            self._uart.read(self._uart.any())
        self._uart.write(packet(servo, instruction, body))
        reply = b""
        for _ in range(STEPS):
            await asyncio.sleep_ms(STEP_MS)
            if self._uart.any():
                reply += self._uart.read(self._uart.any())
                answer = body_of(reply, servo, size)
                if answer is not None:
                    return answer
        return None
