export interface Span {
  readonly from: number;
  /** ms; Infinity while it lasts. */
  readonly to: number;
}

/** Several causes may impair something at once: it is healthy again when the last one ends. */
export class Track {
  readonly #spans: { from: number; to: number }[] = [];
  #impairments = 0;

  /** @param well since when it is healthy; null: not yet */
  constructor(well: number | null) {
    if (well === null) this.#impairments = 1;
    else this.#spans.push({ from: well, to: Infinity });
  }

  /** @returns ends that; calling it more than once is safe */
  impair(at = performance.now()): () => void {
    const current = this.#spans.at(-1);
    if (this.#impairments === 0 && current !== undefined) current.to = at;
    this.#impairments += 1;
    let over = false;
    return () => {
      if (over) return;
      over = true;
      this.recover();
    };
  }

  recover(at = performance.now()): void {
    this.#impairments -= 1;
    if (this.#impairments === 0) this.#spans.push({ from: at, to: Infinity });
  }

  get well(): boolean {
    return this.#impairments === 0;
  }

  get breaks(): number {
    return this.#spans.length - 1 + (this.well ? 0 : 1);
  }

  get spans(): readonly Span[] {
    return this.#spans;
  }

  throughout(from: number, to: number): boolean {
    return this.#spans.some((span) => span.from <= from && to <= span.to);
  }
}
