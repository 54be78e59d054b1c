# SPDX-License-Identifier: Apache-2.0
"""A stand-in for machine: the test restarts the interpreter."""

import perch_device


class WDT:
    """As on an ESP32, another one changes the time."""

    def __init__(self, timeout):
        perch_device.watchdog(timeout)

    def feed(self):
        perch_device.fed()


def unique_id():
    return b"\x01\x02\x03\x04\x05\x06"


def reset():
    perch_device.reset()
