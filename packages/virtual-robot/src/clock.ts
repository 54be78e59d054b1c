/** An injectable clock, so that the core runs in Node, in browsers and with a test's clock. */

export interface Clock {
  /** Monotonic time, ms. */
  now(): number;
  setTimeout(run: () => void, ms: number): unknown;
  clearTimeout(timer: unknown): void;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  setTimeout: (run, ms) => setTimeout(run, ms),
  clearTimeout: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
};

/** With a longer delay setTimeout fires immediately. */
const delayMaxMs = 2_147_483_647;

/** Timers that can be stopped together, so that a stopped robot leaves none running. */
export class Timers {
  readonly clock: Clock;
  readonly #background: boolean;
  readonly #cancels = new Set<() => void>();

  /** @param background whether the process may exit before these timers have run */
  constructor(clock: Clock, { background = false }: { background?: boolean } = {}) {
    this.clock = clock;
    this.#background = background;
  }

  after(ms: number, run: () => void): () => void {
    const timer = this.clock.setTimeout(
      () => {
        this.#cancels.delete(cancel);
        run();
      },
      Math.min(Math.max(0, ms), delayMaxMs),
    );
    // Only Node's timers have `unref`; a browser's are numbers and do not need it.
    if (this.#background) (timer as { unref?: () => void }).unref?.();
    const cancel = (): void => {
      this.#cancels.delete(cancel);
      this.clock.clearTimeout(timer);
    };
    this.#cancels.add(cancel);
    return cancel;
  }

  /**
   * Calls `run` every `ms`. A late call does not shift the following ones: otherwise robots of one process that were late together would act at the same
   * moments from then on, which real robots do not. Periods that passed entirely are skipped. Returns a function that ends it.
   */
  every(ms: number, run: () => void): () => void {
    let dueAt = this.clock.now() + ms;
    let cancel = (): void => undefined;
    const next = (): void => {
      cancel = this.after(dueAt - this.clock.now(), () => {
        dueAt += ms * Math.max(1, Math.ceil((this.clock.now() - dueAt) / ms));
        next();
        run();
      });
    };
    next();
    return () => cancel();
  }

  stopAll(): void {
    for (const cancel of [...this.#cancels]) cancel();
  }
}
