/** The jobs that one instance processes at a time, for its workers of several queues. A free slot goes to the worker that has waited longest. */
export class Slots {
  #free: number;
  readonly #waiting: ((taken: boolean) => void)[] = [];
  #closed = false;

  constructor(total: number) {
    this.#free = total;
  }

  get contended(): boolean {
    return this.#waiting.length > 0;
  }

  take(): boolean {
    if (this.#free === 0) return false;
    this.#free -= 1;
    return true;
  }

  /** @returns false when `close` was called before a slot was free */
  wait(): Promise<boolean> {
    if (this.#closed || this.take()) return Promise.resolve(!this.#closed);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  release(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next(true);
  }

  close(): void {
    this.#closed = true;
    for (const resolve of this.#waiting.splice(0)) resolve(false);
  }
}
