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
    from perch.boards.stackchan import StackChanBoard

    return StackChanBoard()


def main():
    board = find_board()
    settings = Settings(board.settings_path)
    board.use(settings)
    asyncio.run(Robot(board, settings).run())


main()
