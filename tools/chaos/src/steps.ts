/** Durations of the steps of a round. */

export class Steps {
  readonly #took = new Map<string, number>();
  #step: string | null = null;
  #since = performance.now();

  /** Starts counting time for a step; null: for none. A step may be resumed. */
  begin(step: string | null): void {
    const now = performance.now();
    if (this.#step !== null) this.#took.set(this.#step, (this.#took.get(this.#step) ?? 0) + now - this.#since);
    this.#step = step;
    this.#since = now;
  }

  /** Durations of the completed steps, whole ms, in the order in which they first began. */
  get ms(): Record<string, number> {
    return Object.fromEntries([...this.#took].map(([step, ms]) => [step, Math.round(ms)]));
  }
}
