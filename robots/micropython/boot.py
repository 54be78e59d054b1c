# SPDX-License-Identifier: Apache-2.0
"""Perch: main.py begins at once, in UTC, without the firmware's menu.

That of UIFlow2 removes main.py where a finger lies on the screen at start.
Yours is boot-before-perch.py.
"""

import time

try:
    time.timezone("GMT0")
except Exception as error:
    # After an exception here, main.py would not begin.
    print(error)
