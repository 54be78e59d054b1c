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
