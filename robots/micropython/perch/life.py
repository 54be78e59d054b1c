# SPDX-License-Identifier: Apache-2.0
"""What the face does by itself: timings of docs/robot-link.md, in ms."""

import random
from array import array
from math import cos, pi, sin

from perch import poses
from perch.poses import ONE, POSES, eased, mix

EMOTION_MS = 450
BUBBLE_MS = 300
BREATH_MS, BREATH_ASLEEP_MS = 4200, 6000
BLINK_SLOT, BLINK_DELAY = 4200, 2400
CLOSE_MS, CLOSED_MS, OPEN_MS, DOUBLED_MS = 90, 40, 160, 380
GAZE_SLOT, GAZE_DELAY, GAZE_MS = 2600, 1400, 180
SYLLABLE_MS, LETTER_MS, TALK_MS_MAX, FADE_MS = 170, 65, 6000, 120
OPENS = 220
# attack, hold and release of each reaction.
REACTIONS = {
    "petted": (220, 700, 500),
    "shaken": (200, 2200, 600),
    "lifted": (180, 1100, 500),
}
SHAKEN_TURN, SHAKEN_SWAY = 900, 70
DREAM_MS = 3600


class Life:
    """`at(ms)` fills `pose`, and `place`: x, y in tenths, scale of 1024."""

    def __init__(self):
        self.pose = array("h", POSES["neutral"])
        self.place = array("i", (0, 0, 0))
        self._from = array("h", self.pose)
        self._mood, self._mood_at = "neutral", -EMOTION_MS
        self._place_from = array("i", place_above(None))
        self._place_to, self._place_at = place_above(None), -BUBBLE_MS
        self._blinks = [0, 0]
        self._slot = {"blink": -1, "gaze": -1}
        self._gaze = [0, 0, 0, 0, 0]
        self._gaze_from = (0, 0)
        self._talk = [0, -FADE_MS]
        self._syllable, self._opening, self._spoken = -1, 0, 0
        # (kind, begin, end or None while it lasts), the latest last.
        self._reactions = []
        self._reaction = array("h", self.pose)

    def feel(self, mood, ms):
        if mood != self._mood:
            self._base(ms, self._from)
            self._mood, self._mood_at = mood, ms

    def move_above(self, top, ms):
        """Makes room for a bubble that begins at `top`, or for none."""
        self._placed(ms)
        self._place_from[:] = self.place
        self._place_to, self._place_at = place_above(top), ms

    def speak(self, text, ms):
        length = min(TALK_MS_MAX, LETTER_MS * len(text))
        self._talk[0], self._talk[1] = ms, ms + length

    def hush(self, ms):
        self._talk[1] = min(self._talk[1], ms)

    def react(self, kind, ms, until=None):
        """`kind` is one of REACTIONS; until None: `release` ends it."""
        self._reactions = [
            one for one in self._reactions if one[0] != kind]
        self._reactions.append((kind, ms, until))

    def release(self, kind, ms):
        self._reactions = [
            (one[0], one[1], ms) if one[0] == kind and one[2] is None
            else one for one in self._reactions]

    def at(self, ms, loudness=0):
        """`loudness` of the sound that plays, 0 to 256."""
        pose = self.pose
        self._base(ms, pose)
        self._speaking(ms, loudness)
        asleep = self._mood == "asleep"
        period = BREATH_ASLEEP_MS if asleep else BREATH_MS
        rise = 26 if asleep else 16
        pose[poses.FACE_Y] = int(rise * sin(2 * pi * (ms % period) / period))
        self._look(ms)
        pose[poses.GAZE_X] = 0 if asleep else self._gaze[2]
        pose[poses.GAZE_Y] = 0 if asleep else self._gaze[3]
        for reaction in self._reactions[:]:
            self._react(reaction, ms)
        self._blink(ms)
        self._placed(ms)

    def rest(self):
        """Fills `pose` and `place` with the face without any movement."""
        self.pose[:] = POSES[self._mood]
        self.place[:] = array("i", self._place_to)

    def _react(self, reaction, ms):
        kind, begun, until = reaction
        attack, hold, release = REACTIONS[kind]
        share = eased(ms - begun, attack)
        if until is not None:
            gone = eased(ms - until - hold, release)
            if gone == ONE:
                self._reactions.remove(reaction)
                return
            share = share * (ONE - gone) >> 8
        pose, goal = self.pose, self._reaction
        goal[:] = POSES[kind]
        goal[poses.FACE_X] = pose[poses.FACE_X]
        goal[poses.FACE_Y] = pose[poses.FACE_Y]
        if kind == "lifted":
            goal[poses.GAZE_X] = pose[poses.GAZE_X]
            goal[poses.GAZE_Y] = pose[poses.GAZE_Y]
        if kind == "shaken":
            turns = (ms - begun) / SHAKEN_TURN
            sway = 2 * pi * 0.8 * turns
            goal[poses.SPIRAL_TURN] = int(360 * turns)
            # The turn is no length: it is not mixed.
            pose[poses.SPIRAL_TURN] = goal[poses.SPIRAL_TURN]
            goal[poses.FACE_X] += int(SHAKEN_SWAY * sin(sway))
            goal[poses.FACE_Y] += int(SHAKEN_SWAY * cos(sway) / 2)
        mix(pose, goal, share)

    def _base(self, ms, into):
        into[:] = self._from
        goal = POSES[self._mood]
        mix(into, goal, eased(ms - self._mood_at, EMOTION_MS))
        if self._mood == "asleep":
            turn = 2 * pi * (ms % DREAM_MS) / DREAM_MS
            into[poses.ZZZ] = int((0.45 + 0.3 * sin(turn)) * ONE)
            into[poses.ZZZ_Y] = int(70 * (1 - cos(turn)))

    def _placed(self, ms):
        share = eased(ms - self._place_at, BUBBLE_MS)
        for i in range(3):
            before = self._place_from[i]
            self.place[i] = before + (
                (self._place_to[i] - before) * share >> 8)

    def _blink(self, ms):
        slot = ms // BLINK_SLOT
        if slot != self._slot["blink"]:
            self._slot["blink"] = slot
            first = slot * BLINK_SLOT + int(random.random() * BLINK_DELAY)
            again = random.random() < 1 / 6
            self._blinks = [first, first + DOUBLED_MS if again else first]
        share = max(lid(ms - self._blinks[0]), lid(ms - self._blinks[1]))
        for eye in (poses.LEFT, poses.RIGHT):
            is_open = self.pose[eye + 4]
            if is_open > 0:
                self.pose[eye + 2] += 40 * share * is_open >> 16
                self.pose[eye + 4] = is_open * (ONE - share) >> 8

    def _look(self, ms):
        gaze = self._gaze
        slot = ms // GAZE_SLOT
        if slot != self._slot["gaze"]:
            self._slot["gaze"] = slot
            gaze[4] = slot * GAZE_SLOT + int(random.random() * GAZE_DELAY)
            self._gaze_from = (gaze[2], gaze[3])
            gaze[0] = gaze[1] = 0
            if random.random() > 0.5:
                gaze[0] = int((2 * random.random() - 1) * 110)
                gaze[1] = int((2 * random.random() - 1) * 60)
        share = eased(ms - gaze[4], GAZE_MS)
        for i in (0, 1):
            before = self._gaze_from[i]
            gaze[2 + i] = before + ((gaze[i] - before) * share >> 8)

    def _speaking(self, ms, loudness):
        begun, end = self._talk
        weight = eased(ms - begun, FADE_MS) * (
            ONE - eased(ms - end, FADE_MS)) >> 8
        if ms // SYLLABLE_MS != self._syllable:
            self._syllable = ms // SYLLABLE_MS
            self._opening = int((0.3 + 0.7 * random.random()) * ONE)
            if random.random() < 0.2:
                self._opening = 13
        goal = max(loudness, self._opening * weight >> 8)
        self._spoken = (self._spoken + goal) // 2
        speak(self.pose, self._spoken)


def speak(pose, opening):
    """Opens a closed mouth by up to OPENS; a round one grows."""
    if opening < 4:
        return
    m, ring = poses.MOUTH, poses.RING
    pose[ring + 3] += 70 * opening >> 8
    wide = min(ONE, max(0, (pose[m + 13] - pose[m + 5]) * ONE // 400))
    share = (ONE - pose[ring + 4]) * (ONE - wide) * opening >> 16
    corners = (pose[m + 1] + pose[m + 9]) // 2 + 20
    for at in (3, 5, 7):
        flat = min(pose[m + at], corners)
        pose[m + at] += (flat - pose[m + at]) * share * 4 // 1280
    pose[m] += 60 * share >> 8
    pose[m + 8] -= 60 * share >> 8
    pose[m + 14] += (pose[m] + 60 - pose[m + 14]) * share * 4 // 1280
    pose[m + 10] += (pose[m + 8] - 60 - pose[m + 10]) * share * 4 // 1280
    for at in (11, 13, 15):
        pose[m + at] += OPENS * share >> 8


def lid(since):
    if since < CLOSE_MS + CLOSED_MS:
        return eased(since, CLOSE_MS)
    return ONE - eased(since - CLOSE_MS - CLOSED_MS, OPEN_MS)


def place_above(top):
    """Returns where the face is drawn: smaller above a bubble."""
    if top is None:
        return (-220, -180, 1167)
    scale = min(819, (top - 4) * 1024 // 151)
    return (1600 * (1024 - scale) // 1024, 20 - 500 * scale // 1024, scale)
