/** When something held, on the history's clock (`performance.now()` of the chaos process). */

export interface Span {
  /** ms. */
  readonly from: number;
  /** ms; Infinity while it still holds. */
  readonly to: number;
}

/** Spans in which something was well, broken by what spoils it. Several may spoil it at once: it is well again when the last is over. */
export class Track {
  readonly #spans: { from: number; to: number }[] = [];
  #spoilers = 0;

  /** @param well from when on it is; null: not yet */
  constructor(well: number | null) {
    if (well === null) this.#spoilers = 1;
    else this.#spans.push({ from: well, to: Infinity });
  }

  /** From now on it is not well. @returns ends that; calling it again does nothing */
  spoil(at = performance.now()): () => void {
    const current = this.#spans.at(-1);
    if (this.#spoilers === 0 && current !== undefined) current.to = at;
    this.#spoilers += 1;
    let over = false;
    return () => {
      if (over) return;
      over = true;
      this.recover();
    };
  }

  /** Ends what began as not well, once. */
  recover(at = performance.now()): void {
    this.#spoilers -= 1;
    if (this.#spoilers === 0) this.#spans.push({ from: at, to: Infinity });
  }

  get well(): boolean {
    return this.#spoilers === 0;
  }

  /** How many times it was not well. */
  get breaks(): number {
    return this.#spans.length - 1 + (this.well ? 0 : 1);
  }

  get spans(): readonly Span[] {
    return this.#spans;
  }

  /** Whether it was well all the time between. */
  throughout(from: number, to: number): boolean {
    return this.#spans.some((span) => span.from <= from && to <= span.to);
  }
}
