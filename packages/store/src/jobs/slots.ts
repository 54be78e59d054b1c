/** The jobs that one instance processes at a time, for its workers of several queues. A free slot goes to the worker that has waited longest. */
export class Slots {
  #free: number;
  readonly #waiting: ((taken: boolean) => void)[] = [];
  #closed = false;
  /** Called when the number of free slots has changed. */
  onChange: () => void = () => {};

  readonly total: number;

  constructor(total: number) {
    this.total = total;
    this.#free = total;
  }

  get free(): number {
    return this.#free;
  }

  get contended(): boolean {
    return this.#waiting.length > 0;
  }

  take(): boolean {
    if (this.#free === 0) return false;
    this.#free -= 1;
    this.onChange();
    return true;
  }

  /** @returns false when `close` was called before a slot was free */
  wait(): Promise<boolean> {
    if (this.#closed || this.take()) return Promise.resolve(!this.#closed);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  release(): void {
    const next = this.#waiting.shift();
    if (next !== undefined) return next(true);
    this.#free += 1;
    this.onChange();
  }

  close(): void {
    this.#closed = true;
    for (const resolve of this.#waiting.splice(0)) resolve(false);
  }
}
