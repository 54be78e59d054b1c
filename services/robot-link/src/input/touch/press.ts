export interface PressStart {
  seq: number;
  ms: number;
}

/** Maximum difference between a press and its release about the time of the press, ms. */
const toleranceMs = 100;

/** Compares with the time at which the release says the press began. Needed where inputs in between are missing. */
export function belongsTo(release: { ms: number; held_ms: number }, press: PressStart): boolean {
  return Math.abs(release.ms - release.held_ms - press.ms) <= toleranceMs;
}
