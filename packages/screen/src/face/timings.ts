/** How a robot's face behaves by itself: durations in ms, distances in px. docs/robot-link.md has the same numbers. */
export const timings = {
  /** From one emotion to another. */
  emotion: 450,
  /** To the smaller face above a bubble, and back. */
  bubble: 300,
  breath: { period: 4200, periodAsleep: 6000, rise: 1.6, riseAsleep: 2.6 },
  /** Blinks are `slot` apart on average, each up to `delayMax` later than its slot begins; one in `doubled` is followed by a second one. */
  blink: { slot: 4200, delayMax: 2400, close: 90, closed: 40, open: 160, doubled: 6, doubledAfter: 380 },
  /** Looks about: a new direction every `slot` on average, delayed like a blink. Half of them are straight ahead. */
  gaze: { slot: 2600, delayMax: 1400, move: 180, x: 11, y: 6 },
  /** Looks at the pointer: direction updated at most every `every`, reached in `move`, kept for `hold` after the last movement. */
  pointer: { every: 100, move: 240, hold: 3000, x: 15, y: 9 },
  /** The mouth follows the loudness of a sound, a value every `level`; without a sound it speaks syllables, `letter` of time for each letter. */
  talk: { level: 80, syllable: 170, letter: 65, max: 6000, fade: 120, opens: 22 },
  petted: { attack: 220, hold: 700, release: 500 },
  shaken: { attack: 200, hold: 2200, release: 600, turn: 900, sway: 7 },
  lifted: { attack: 180, hold: 1100, release: 500 },
  /** While asleep, the letters of sleep rise and fade in turn. */
  dream: { period: 3600, rise: 14 },
} as const;
