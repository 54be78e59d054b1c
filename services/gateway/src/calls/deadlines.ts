/** Deadlines of a call, ms from its arrival. */

export const sendWithinMs = 10_000;
export const answerWithinMs = 13_000;
/** Minimum lifetime of a command's picture, ms: it may be rendered early and sent late. */
export const commandMediaMs = sendWithinMs + 5_000;
/** Minimum lifetime of a picture that stays on the screen, ms: the robot-link copies it 10 s after it was shown. */
export const shownMediaMs = 60_000;
