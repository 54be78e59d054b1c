/** The readings of the time in which the page looked, for the lines beside them. Bounded; values are never changed in place. */

export type Readings = Readonly<Record<string, number | boolean | string | null>>;

export interface ReadingHistory {
  /** When the last was taken, as the robot's report has it; null before the first. */
  at: string | null;
  /** Of each reading that is a number, oldest first; null where it was missing then. */
  lines: Readonly<Record<string, readonly (number | null)[]>>;
}

export const emptyHistory: ReadingHistory = { at: null, lines: {} };

/** Five minutes of reports every two seconds. */
export const historyMax = 150;

/** @param at when these were reported; the same as before changes nothing */
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
