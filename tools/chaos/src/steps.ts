/** How long the steps of a round took. */

export class Steps {
  readonly #took = new Map<string, number>();
  #step: string | null = null;
  #since = performance.now();

  /** From now on it is this step's time; null: nobody's. A step may come again. */
  begin(step: string | null): void {
    const now = performance.now();
    if (this.#step !== null) this.#took.set(this.#step, (this.#took.get(this.#step) ?? 0) + now - this.#since);
    this.#step = step;
    this.#since = now;
  }

  /** Of those that are over, whole ms, in the order in which they first came. */
  get ms(): Record<string, number> {
    return Object.fromEntries([...this.#took].map(([step, ms]) => [step, Math.round(ms)]));
  }
}
