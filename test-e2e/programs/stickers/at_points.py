# SPDX-License-Identifier: Apache-2.0
"""Prints the sticker that the robot program finds at each given point."""

import json
import sys

sys.path.insert(0, sys.argv[1])
from perch.own import Own  # noqa: E402

given = json.loads(sys.argv[2])
own = Own(None, None, None)
own.stickers = given["stickers"]
print(json.dumps([own.sprite_at(x, y) for x, y in given["points"]]))
