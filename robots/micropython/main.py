# SPDX-License-Identifier: Apache-2.0
"""Starts the robot: `micropython main.py FOLDER` on a computer.

On a device the folder is /flash. Updates are installed in one of two slots in
it; this file and the program beside it are what the owner has installed, and
no update replaces them. A program from a slot is on trial until it has been
welcomed once: after three starts without that, the one before runs again.
"""

import json
import os
import sys

STARTS_MAX = 3
AGAIN_S = 5
IS_DEVICE = sys.platform == "esp32"


def read_state(path):
    try:
        with open(path) as file:
            state = json.load(file)
        return state if isinstance(state, dict) else {}
    except (OSError, ValueError):
        return {}


def write_state(path, state):
    """A power cut leaves the file before or this one."""
    with open(path + ".new", "w") as file:
        json.dump(state, file)
    os.rename(path + ".new", path)


def choose(path):
    """Counts the starts of a program on trial. Returns its slot, or None."""
    state = read_state(path)
    if "starts" in state:
        state["starts"] += 1
        if state["starts"] > STARTS_MAX:
            state = {"slot": state.get("before"), "cause": "crash",
                     "failed": state.get("version"),
                     "error": state.get("error")}
        write_state(path, state)
    return state.get("slot")


def run(folder):
    import asyncio

    from perch import watchdog
    from perch.robot import Robot
    from perch.settings import Settings

    if IS_DEVICE:
        from perch.boards.stackchan import StackChanBoard as Board
    else:
        from perch.boards.host import HostBoard as Board
    board = Board(folder)
    settings = Settings(board.settings_path)
    board.use(settings)
    try:
        asyncio.run(Robot(board, settings).run())
    finally:
        # What interrupts the program, such as the installer, has time.
        watchdog.hold()


def restart():
    if not IS_DEVICE:
        sys.exit(1)
    import machine
    import time

    time.sleep(AGAIN_S)
    machine.reset()


def main():
    folder = "/flash" if IS_DEVICE else sys.argv[1]
    path = folder + "/boot.json"
    slot = choose(path)
    if slot is not None:
        sys.path.insert(0, "%s/slots/%s" % (folder, slot))
    try:
        run(folder)
    except Exception as error:
        sys.print_exception(error)
        state = read_state(path)
        state["cause"], state["error"] = "crash", repr(error)[:200]
        write_state(path, state)
        restart()


main()
