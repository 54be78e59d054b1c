import type { Clock } from './clock.js';

/** Instant gestures advance this clock. */
export class RobotTime {
  readonly #clock: Clock;
  #bootAt = 0;
  #aheadMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whole ms since boot. */
  get ms(): number {
    return Math.floor(this.#clock.now() - this.#bootAt + this.#aheadMs);
  }

  boot(): void {
    this.#bootAt = this.#clock.now();
    this.#aheadMs = 0;
  }

  pass(ms: number, instant: boolean): Promise<void> {
    if (!instant) return new Promise((resolve) => this.#clock.setTimeout(resolve, ms));
    this.#aheadMs += ms;
    return Promise.resolve();
  }
}
