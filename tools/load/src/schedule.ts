/** Start times of calls: random arrivals with a constant mean rate, drawn in advance, so that no answer delays the next call. */
import type { Random } from '@perch/chaos';

export class Arrivals {
  readonly #perMs: number;
  readonly #random: Random;
  dueMs = 0;

  /** @param perS mean number of arrivals per second; 0: never */
  constructor(perS: number, random: Random) {
    this.#perMs = perS / 1000;
    this.#random = random;
    this.next();
  }

  /** Draws the next arrival. Intervals are exponentially distributed: a Poisson process, like independent callers. */
  next(): void {
    this.dueMs = this.#perMs === 0 ? Number.POSITIVE_INFINITY : this.dueMs - Math.log(1 - this.#random.next()) / this.#perMs;
  }
}

/** Returns the share of `total` of part `index` (from 0) of `count`: whole numbers that differ by at most one and add up to `total`. */
export function shareOf(total: number, index: number, count: number): number {
  return Math.floor(((index + 1) * total) / count) - Math.floor((index * total) / count);
}
