/** Label values for names that robots choose: the most frequent, others as `other`. New names are rate limited: each is a time series for long. */
import { LRUCache } from 'lru-cache';

const otherName = 'other';

interface Bounds {
  namesMax: number;
  /** Burst of new names, and the time until one more is allowed, ms. */
  newNames: number;
  newNameMs: number;
  knownMax: number;
}

const standard: Bounds = { namesMax: 20, newNames: 100, newNameMs: 600_000, knownMax: 200 };

export class FrequentNames {
  readonly #bounds: Bounds;
  readonly #known: LRUCache<string, true>;
  #newNames: number;
  #refilledAt: number | null = null;

  constructor(bounds: Partial<Bounds> = {}) {
    this.#bounds = { ...standard, ...bounds };
    this.#newNames = this.#bounds.newNames;
    this.#known = new LRUCache({ max: this.#bounds.knownMax });
  }

  /** @param counts occurrences by name @param now performance.now() @returns counts by label value; their sum is that of `counts` */
  select(counts: ReadonlyMap<string, number>, now: number): [labelValue: string, count: number][] {
    this.#refill(now);
    const selected: [string, number][] = [];
    let others = 0;
    for (const count of counts.values()) others += count;
    for (const [name, count] of mostFrequent(counts, this.#bounds.namesMax)) {
      if (name === otherName || !this.#admit(name)) continue;
      selected.push([name, count]);
      others -= count;
    }
    if (others > 0) selected.push([otherName, others]);
    return selected;
  }

  #admit(name: string): boolean {
    if (this.#known.get(name) === true) return true;
    if (this.#newNames < 1) return false;
    this.#newNames -= 1;
    this.#known.set(name, true);
    return true;
  }

  #refill(now: number): void {
    const { newNames, newNameMs } = this.#bounds;
    this.#newNames = Math.min(newNames, this.#newNames + (now - (this.#refilledAt ?? now)) / newNameMs);
    this.#refilledAt = now;
  }
}

/** Ties in order of insertion. Sorting ten thousand names would take milliseconds. */
function mostFrequent(counts: ReadonlyMap<string, number>, max: number): [name: string, count: number][] {
  const most: [string, number][] = [];
  for (const entry of counts) {
    if (most.length === max && entry[1] <= most.at(-1)![1]) continue;
    const at = most.findIndex(([, count]) => count < entry[1]);
    most.splice(at === -1 ? most.length : at, 0, entry);
    if (most.length > max) most.pop();
  }
  return most;
}
