/** Times are by the robot's clock. The tests' recordings are computed from the physics of a movement, with a sensor's noise (test/motions.ts). */
export const thresholds = {
  screen: {
    longFromMs: 800,
    /** A touch that begins further outside the screen answers nothing, px. */
    outsidePx: 2,
  },
  head: {
    /** A touch of this length is a pet, a shorter one a pat, ms. */
    petFromMs: 700,
    /** A zone pressed more than this after the touch began starts another touch, ms: the end of the first one is missing. */
    joinMs: 30_000,
    /** A finger that moves slowly touches no zone between two of them for up to this time, ms. */
    betweenZonesMs: 200,
    /** The first and the last zone of a stroke are pressed at least this long after each other, ms: those of a palm at almost the same time. */
    strokeMsMin: 50,
  },
  button: { longFromMs: 1000 },
  /** Raw values of the sensor; between the two the state stays. */
  proximity: { near: { from: 300, forMs: 200 }, away: { under: 200, forMs: 500 } },
  /**
   * A remote sends its code again and again while a button is held. The same code within `repeatMs` is the same press; codes without a name are the same
   * if no length differs by more than a quarter, or 100 us.
   */
  remote: { repeatMs: 250, differsFrom: 0.25, differsFromUs: 100 },
  shaken: {
    /** Walking with the robot causes 0.2 to 0.4 g, a bump against its foot or a turn of its head less. */
    swingG: 0.8,
    /** Three reversals: lifting and setting down have one or two. */
    swingsMin: 4,
    withinMs: 1000,
    /** Vibrations of a hard knock on the table end after 150 ms. */
    spanMsMin: 250,
    /** Above `activeG` for this share of the time (a sine of 0.8 g: two thirds); with several knocks in a row it is a fifth. */
    activeG: 0.4,
    activeShareMin: 0.5,
  },
  /** A lift as a hand does it: 0.4 to 0.8 m/s, 20 cm within a second. */
  lifted: {
    restMs: 100,
    restSpreadG: 0.05,
    restOffG: 0.08,
    /** Subtracted, so that an offset does not add up. */
    deadG: 0.02,
    /** A sample that is this far from the median around it is a knock: several in a row, sampled slowly, add up to a lift. */
    roughG: 0.6,
    isGentle: false,
    /** A swaying table stays below these, and so does a robot that is set down, which moves down first. */
    speedMin: 0.2,
    heightMin: 0.06,
  },
  /** A slow lift, such as 15 cm in a second: a push of less than 0.1 g. Gentler than walking, so that its beginning and its course must be still. */
  liftedGently: {
    restMs: 100,
    /** Noise of a sensor at rest; a hand that holds the robot trembles by more. */
    restSpreadG: 0.025,
    restOffG: 0.08,
    deadG: 0.003,
    /** A sample that is this far from the median around it is a knock or a step. */
    roughG: 0.12,
    isGentle: true,
    speedMin: 0.13,
    heightMin: 0.06,
  },
} as const;
