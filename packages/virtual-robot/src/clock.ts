/** Time as the robot takes it: injected, so that one core runs in Node, in a browser page and under a test's clock. */

export interface Clock {
  /** Milliseconds on a clock that never steps back. */
  now(): number;
  setTimeout(run: () => void, ms: number): unknown;
  clearTimeout(timer: unknown): void;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  setTimeout: (run, ms) => setTimeout(run, ms),
  clearTimeout: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
};

/** The longest delay a timer keeps; a longer one fires at once. */
const delayMaxMs = 2_147_483_647;

/** Timers that can all be stopped at once, so that a stopped robot leaves nothing running. */
export class Timers {
  readonly clock: Clock;
  readonly #background: boolean;
  readonly #cancels = new Set<() => void>();

  /** @param background whether a process may end before these timers have run */
  constructor(clock: Clock, { background = false }: { background?: boolean } = {}) {
    this.clock = clock;
    this.#background = background;
  }

  /** Runs once after `ms`; the answer cancels it, and may be called at any time. */
  after(ms: number, run: () => void): () => void {
    const timer = this.clock.setTimeout(() => {
      this.#cancels.delete(cancel);
      run();
    }, Math.min(Math.max(0, ms), delayMaxMs));
    // Node's timers have this; a page's are numbers and need none.
    if (this.#background) (timer as { unref?: () => void }).unref?.();
    const cancel = (): void => {
      this.#cancels.delete(cancel);
      this.clock.clearTimeout(timer);
    };
    this.#cancels.add(cancel);
    return cancel;
  }

  stopAll(): void {
    for (const cancel of [...this.#cancels]) cancel();
  }
}
