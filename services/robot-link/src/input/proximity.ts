/**
 * Whether something is close to the front, from the raw proximity and the robot's clock. Samples come only while the value changes and for 1 s after:
 * between two samples it stayed what it was, and what is stored of an instance that died is caught up within that second.
 */

const near = { from: 300, forMs: 200 };
/** Between the two thresholds all stays as it is. */
const away = { under: 200, forMs: 500 };

export class Proximity {
  #near: boolean | null;
  /** Since when the samples say the opposite of what is known; the robot's clock. */
  #since: number | null = null;
  #says: boolean | null = null;

  /** @param stored what is known of the robot, or null */
  constructor(stored: boolean | null) {
    this.#near = stored;
  }

  get near(): boolean | null {
    return this.#near;
  }

  /** @returns what changed with this sample; what was far when nothing was known of it did not go away */
  feed(raw: number, ms: number): 'near' | 'away' | null {
    const says = raw >= near.from ? true : raw < away.under ? false : null;
    if (says !== this.#says || this.#since === null || ms < this.#since) {
      this.#says = says;
      this.#since = ms;
    }
    if (says === null || says === this.#near || ms - this.#since < (says ? near.forMs : away.forMs)) return null;
    const known = this.#near !== null;
    this.#near = says;
    if (says) return 'near';
    return known ? 'away' : null;
  }

  /** Samples are missing: what was seen before them does not count for how long. */
  gap(): void {
    this.#since = null;
  }
}
