// Helpers for tasks that run at the same time. They import nothing: packages/store loads them without the rest of the package.

/** A flag that one task can wait for. A flag that is set while the task does not wait ends its next wait at once, so no signal is lost. */
export class AsyncSignal {
  #isSet = false;
  #wake: (() => void) | null = null;

  set(): void {
    this.#isSet = true;
    this.#wake?.();
  }

  /** Resets the flag. @returns false if `withinMs` elapsed first @throws the reason of `signal`, which does not reset the flag */
  async wait(withinMs: number, signal?: AbortSignal): Promise<boolean> {
    signal?.throwIfAborted();
    if (!this.#isSet && withinMs > 0) await this.#pause(withinMs, signal);
    signal?.throwIfAborted();
    const wasSet = this.#isSet;
    this.#isSet = false;
    return wasSet;
  }

  #pause(withinMs: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', wake);
        this.#wake = null;
        resolve();
      };
      const timer = setTimeout(wake, withinMs);
      signal?.addEventListener('abort', wake, { once: true });
      this.#wake = wake;
    });
  }
}

/**
 * Runs `work` with a signal that aborts as `signal` does, or after `ms`. Not by AbortSignal.timeout: one that only AbortSignal.any refers to may be
 * collected, and then never aborts (Node.js issue 57736).
 */
export async function withDeadline<T>(ms: number, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), ms);
  try {
    return await work(AbortSignal.any([signal, late.signal]));
  } finally {
    clearTimeout(timer);
  }
}

/** A value that is opened on first use and kept. If opening it fails, the next use opens it again. */
export class Lazy<T> {
  readonly #open: () => Promise<T>;
  #opened: Promise<T> | null = null;

  constructor(open: () => Promise<T>) {
    this.#open = open;
  }

  get(): Promise<T> {
    this.#opened ??= this.#open().catch((error: unknown) => {
      this.#opened = null;
      throw error;
    });
    return this.#opened;
  }

  /** Returns the value if it is open or being opened, to close it. */
  async ifOpen(): Promise<T | null> {
    return (await this.#opened?.catch(() => null)) ?? null;
  }
}

/** Runs a task at an interval, never twice at a time: a run that takes longer skips those that fall into it. It does not keep the process alive. */
export class Repeated {
  readonly #run: () => Promise<void>;
  readonly #everyMs: number;
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> | null = null;

  /** @param run handles its own failures */
  constructor(everyMs: number, run: () => Promise<void>) {
    this.#everyMs = everyMs;
    this.#run = run;
  }

  start(): void {
    this.#timer = setInterval(() => {
      this.#running ??= this.#run().finally(() => (this.#running = null));
    }, this.#everyMs);
    this.#timer.unref();
  }

  /** Resolves when the current run has ended; no other begins. */
  async stop(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    await this.#running;
  }
}

/** Shares one execution of an asynchronous function among all callers that ask for the same key while it runs. Results are not kept. */
export class SingleFlight<K, T> {
  readonly #flights = new Map<K, Promise<T>>();

  get size(): number {
    return this.#flights.size;
  }

  /** A rejection reaches all callers; the next call executes again. */
  run(key: K, work: () => Promise<T>): Promise<T> {
    let flight = this.#flights.get(key);
    if (flight === undefined) {
      flight = work().finally(() => this.#flights.delete(key));
      this.#flights.set(key, flight);
    }
    return flight;
  }
}

/** @param late called if `work` takes longer than `ms`; what it returns or throws is the result @returns also rejects as `work` does */
export async function withinMs<T, L>(work: T | PromiseLike<T>, ms: number, late: () => L): Promise<T | L> {
  let timer: NodeJS.Timeout | undefined;
  const elapsed = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
  try {
    return await Promise.race([work, elapsed.then(late)]);
  } finally {
    clearTimeout(timer);
  }
}
