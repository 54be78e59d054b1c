/** Usage of each key and day: calls, refusals, questions and the time until they were tapped, as counters that expire with their day. */

export const pageUsageKey = 'page';
/** Key id of all keys beyond the number of fields that a day may have. */
export const otherUsageKey = 'other';
export const usageFieldsMax = 3000;
export const usageDays = 30;
export const usageKeptMs = (usageDays + 1) * 86_400_000;

export interface UsageCounts {
  calls: number;
  refused: number;
  /** Questions (ask, menu, clickmap) that were answered, timed out or were replaced. */
  asked: number;
  answered: number;
}

export interface KeyUsage extends UsageCounts {
  key: string;
  /** Median time from a question on the screen to its tap, within 8 %; null: no question was answered. */
  tapMs: number | null;
}

const countNames = ['calls', 'refused', 'asked', 'answered'] as const;

/** Ranges of times to tap grow by 15 % from 100 ms on: 52 cover the longest time-out. */
const firstMs = 100;
const growth = 1.15;
const rangesMax = 52;

export class UsageTally implements UsageCounts {
  calls = 0;
  refused = 0;
  asked = 0;
  answered = 0;
  readonly #taps = new Map<number, number>();

  tapped(ms: number): void {
    const range = tapRange(ms);
    this.#taps.set(range, (this.#taps.get(range) ?? 0) + 1);
  }

  add(other: UsageTally): void {
    for (const name of countNames) this[name] += other[name];
    for (const [range, count] of other.#taps) this.#taps.set(range, (this.#taps.get(range) ?? 0) + count);
  }

  /** Returns fields of the day's hash and what to add to each, with spaces between; `:calls` is left out of a field's name. */
  text(key: string): string {
    const counts = countNames.filter((name) => this[name] > 0).map((name) => `${key}${name === 'calls' ? '' : `:${name}`} ${this[name]}`);
    return [...counts, ...[...this.#taps].map(([range, count]) => `${key}:t${range} ${count}`)].join(' ');
  }
}

export function usageOf(hash: Readonly<Record<string, string>>): KeyUsage[] {
  const keys = new Map<string, UsageCounts & { taps: [range: number, count: number][] }>();
  for (const [field, value] of Object.entries(hash)) {
    const at = field.lastIndexOf(':');
    const [key, what] = [field.slice(0, at), field.slice(at + 1)];
    let usage = keys.get(key);
    if (usage === undefined) keys.set(key, (usage = { calls: 0, refused: 0, asked: 0, answered: 0, taps: [] }));
    const name = countNames.find((each) => each === what);
    if (name !== undefined) usage[name] = Number(value);
    else if (/^t\d+$/.test(what)) usage.taps.push([Number(what.slice(1)), Number(value)]);
  }
  return [...keys].map(([key, { taps, ...counts }]) => ({ key, ...counts, tapMs: medianOf(taps) })).toSorted((a, b) => (a.key < b.key ? -1 : 1));
}

export function tapRange(ms: number): number {
  if (ms <= firstMs) return 0;
  return Math.min(rangesMax - 1, Math.ceil(Math.log(ms / firstMs) / Math.log(growth)));
}

function medianOf(taps: [range: number, count: number][]): number | null {
  const total = taps.reduce((sum, [, count]) => sum + count, 0);
  let below = 0;
  for (const [range, count] of taps.toSorted(([a], [b]) => a - b)) {
    below += count;
    if (below * 2 >= total) return Math.round(firstMs * growth ** (range - 0.5));
  }
  return null;
}
