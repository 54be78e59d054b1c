/** When something was pressed, and whether a release is its end. */

export interface Began {
  seq: number;
  /** The robot's clock. */
  ms: number;
}

/** How far a press and its release may disagree about when it began, ms. */
const apartMs = 100;

/** Whether the release says it began when the press did: told apart by their clocks where inputs in between are missing. */
export function belongsTo(release: { ms: number; held_ms: number }, press: Began): boolean {
  return Math.abs(release.ms - release.held_ms - press.ms) <= apartMs;
}
