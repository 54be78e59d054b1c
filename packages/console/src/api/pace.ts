/** Spaces requests of which a page makes many, so that the page's rate limit leaves room for its others. */
export class Pace {
  readonly #intervalMs: number;
  readonly #waiting: (() => void)[] = [];
  #isTaken = false;

  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs;
  }

  /** Resolves in the order of the calls, once in each interval. @throws the signal's reason; an aborted call delays no other */
  async next(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#isTaken) await this.#queued(signal);
    this.#isTaken = true;
    setTimeout(() => this.#release(), this.#intervalMs);
  }

  #queued(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(enter), 1);
        reject(signal.reason);
      };
      const enter = (): void => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#waiting.push(enter);
    });
  }

  #release(): void {
    const enter = this.#waiting.shift();
    if (enter === undefined) this.#isTaken = false;
    else enter();
  }
}
