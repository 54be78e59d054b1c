/** The robot sends samples only while the value changes and for 1 s after, within which an instance that takes over catches up. */

import { thresholds } from './thresholds.js';

const { near, away } = thresholds.proximity;

export class Proximity {
  #near: boolean | null;
  /** Time from which the samples differ from the known state; the robot's clock. */
  #since: number | null = null;
  #says: boolean | null = null;

  constructor(stored: boolean | null) {
    this.#near = stored;
  }

  get near(): boolean | null {
    return this.#near;
  }

  /** @returns the change that this sample completes; there is no `away` if the state was unknown */
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

  gap(): void {
    this.#since = null;
  }
}
