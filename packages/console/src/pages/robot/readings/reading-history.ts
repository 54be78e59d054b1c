/** History of readings since the page was opened, for the sparklines. Bounded and immutable. */

export type Readings = Readonly<Record<string, number | boolean | string | null>>;

export interface ReadingHistory {
  /** Time of the last report; null before the first. */
  at: string | null;
  /** Values of each numeric reading, oldest first; null if missing in a report. */
  lines: Readonly<Record<string, readonly (number | null)[]>>;
}

export const emptyHistory: ReadingHistory = { at: null, lines: {} };

/** Five minutes, with a report every two seconds. */
export const historyMax = 150;

/** @param at time of the report; a repeated report changes nothing */
export function withReadings(history: ReadingHistory, readings: Readings, at: string | null): ReadingHistory {
  if (at === null || at === history.at) return history;
  const length = Math.max(0, ...Object.values(history.lines).map((line) => line.length));
  const names = new Set([...Object.keys(history.lines), ...Object.keys(readings).filter((name) => typeof readings[name] === 'number')]);
  const lines: Record<string, readonly (number | null)[]> = {};
  for (const name of names) {
    const before = history.lines[name] ?? Array.from({ length }, () => null);
    const value = readings[name];
    lines[name] = [...before, typeof value === 'number' ? value : null].slice(-historyMax);
  }
  return { at, lines };
}
