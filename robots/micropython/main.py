# SPDX-License-Identifier: Apache-2.0
"""Starts the robot: `micropython main.py FOLDER` with a settings.json."""

import asyncio
import sys

from perch.robot import Robot
from perch.settings import Settings


def find_board():
    if sys.platform in ("linux", "darwin"):
        from perch.boards.host import HostBoard

        return HostBoard(sys.argv[1])
    raise RuntimeError("there is no board file for %s yet" % sys.platform)


def main():
    board = find_board()
    asyncio.run(Robot(board, Settings(board.settings_path)).run())


main()
