/** Measures how late this machine is: a timer fires at a fixed interval and records its delays. */

const everyMs = 20;
/** More than any round lasts. */
const keptMax = 20_000;

export interface Stall {
  readonly at: number;
  readonly ms: number;
}

export class Stalls {
  readonly #late: Stall[] = [];
  readonly #timer: NodeJS.Timeout;

  constructor() {
    let due = performance.now() + everyMs;
    this.#timer = setInterval(() => {
      const now = performance.now();
      if (now - due > everyMs) this.#late.push({ at: now, ms: now - due });
      if (this.#late.length > keptMax) this.#late.shift();
      due = now + everyMs;
    }, everyMs);
    this.#timer.unref();
  }

  during(from: number, to: number): readonly Stall[] {
    return this.#late.filter(({ at, ms }) => at >= from && at - ms <= to);
  }

  most(from: number, to: number): number {
    return Math.max(0, ...this.during(from, to).map(({ ms }) => ms));
  }

  /** The time in which a process with work to do was not run. */
  total(from: number, to: number): number {
    return this.during(from, to).reduce((all, { at, ms }) => all + Math.min(at, to) - Math.max(at - ms, from), 0);
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
