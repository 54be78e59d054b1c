/** Scales the numbers of a sparkline to 0..1, lowest to highest; all are 0.5 if they are equal. Null stays: the line has a gap there. */
export function sparklineValues(numbers: readonly (number | null)[]): (number | null)[] {
  const known = numbers.filter((number) => number !== null);
  // Halved, since the difference of the largest numbers is not finite.
  const low = Math.min(...known) / 2;
  const range = Math.max(...known) / 2 - low;
  return numbers.map((number) => (number === null ? null : range === 0 ? 0.5 : Math.round(((number / 2 - low) / range) * 1000) / 1000));
}
