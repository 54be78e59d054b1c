/** How late this machine is: a timer that should fire all the time, and how late it did. */

const everyMs = 20;
/** More than any round lasts. */
const keptMax = 20_000;

export class Stalls {
  readonly #late: { at: number; ms: number }[] = [];
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

  /** The longest it was late between, ms. */
  most(from: number, to: number): number {
    return this.#late.reduce((most, { at, ms }) => (at >= from && at - ms <= to ? Math.max(most, ms) : most), 0);
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
