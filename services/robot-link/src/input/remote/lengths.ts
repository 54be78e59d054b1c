/** Accepted lengths of marks and spaces, microseconds. Receivers stretch marks and shorten spaces by up to 200 us, and remotes have cheap clocks. */
export type Range = readonly [least: number, most: number];

/** Space that separates a frame from what follows in the same capture; longer than any space inside a frame. */
const gapFrom = 6000;

export function within(us: number | undefined, [least, most]: Range): us is number {
  return us !== undefined && us >= least && us <= most;
}

export function endsAt(raw: readonly number[], length: number): boolean {
  const next = raw[length];
  return next === undefined || next >= gapFrom;
}

/** Returns the range around a length: 30 % to both sides, and what a receiver stretches or shortens. */
export function around(us: number): Range {
  return [Math.max(100, 0.7 * us - 100), 1.3 * us + 100];
}
