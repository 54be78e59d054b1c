# SPDX-License-Identifier: Apache-2.0
"""A stand-in for machine: the test restarts the interpreter."""

import perch_device


def reset():
    perch_device.reset()
