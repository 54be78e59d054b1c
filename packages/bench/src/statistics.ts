/** Medians and the like of a handful of rounds. */

/** @param values at least one */
export function median(values: readonly number[]): number {
  return percentile(values, 50);
}

/** By linear interpolation. @param values at least one, in any order */
export function percentile(values: readonly number[], percent: number): number {
  if (values.length === 0) throw new Error('a percentile of nothing');
  const sorted = values.toSorted((a, b) => a - b);
  const at = ((sorted.length - 1) * percent) / 100;
  const low = sorted[Math.floor(at)]!;
  const high = sorted[Math.ceil(at)]!;
  return low + (high - low) * (at - Math.floor(at));
}

/** A figure as its rounds gave it. */
export interface Measured {
  /** The median of the rounds. */
  figure: number;
  /** Lowest and highest round. */
  spread: [number, number];
}

export function measured(values: readonly number[]): Measured {
  return { figure: median(values), spread: [Math.min(...values), Math.max(...values)] };
}

/** Each round of one against the same round of another, which saw the same machine at the same minute. */
export function ratios(of: readonly number[], against: readonly number[]): number[] {
  return of.map((value, round) => value / against[round]!);
}
