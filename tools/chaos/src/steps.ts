export class Steps {
  readonly #took = new Map<string, number>();
  #step: string | null = null;
  #since = performance.now();

  /** Null: no step. A step may be resumed. */
  begin(step: string | null): void {
    const now = performance.now();
    if (this.#step !== null) this.#took.set(this.#step, (this.#took.get(this.#step) ?? 0) + now - this.#since);
    this.#step = step;
    this.#since = now;
  }

  get ms(): Record<string, number> {
    return Object.fromEntries([...this.#took].map(([step, ms]) => [step, Math.round(ms)]));
  }
}
