interface Reading {
  readonly at: number;
}

/** Returns the last reading before a period and the first after it, or the outermost ones; null if there are none. */
export function readingsAround<T extends Reading>(readings: readonly T[], from: number, to: number): { before: T; after: T } | null {
  const before = readings.findLast(({ at }) => at <= from) ?? readings[0];
  const after = readings.find(({ at }) => at >= to) ?? readings.at(-1);
  return before === undefined || after === undefined ? null : { before, after };
}
