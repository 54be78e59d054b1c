# SPDX-License-Identifier: Apache-2.0
"""Public keys in hexadecimal of those who may sign an update.

Whoever signs the program writes them (docs/decisions/robots.md). A program
without any installs what has the offered sha256, as programs of 0.10 do.
"""

KEYS = ()
