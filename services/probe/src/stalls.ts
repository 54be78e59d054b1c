/**
 * Knows when this process did not run: it was stopped, its machine was too busy, or slept, when the monotonic clock stands still. A correction of the
 * time looks the same, and leaves one failure out.
 */

const beatMs = 250;
/** A gap that garbage collection or a busy machine does not make. */
const stallMs = 1000;

export interface Clocks {
  monotonicMs(): number;
  timeMs(): number;
}

export class Stalls {
  readonly #clocks: Clocks;
  #beatAt: { monotonicMs: number; timeMs: number };
  #endedAt = -Infinity;
  #timer: NodeJS.Timeout | null = null;

  constructor(clocks: Clocks = { monotonicMs: () => performance.now(), timeMs: () => Date.now() }) {
    this.#clocks = clocks;
    this.#beatAt = this.#now();
  }

  start(): void {
    this.#beatAt = this.#now();
    this.#timer = setInterval(() => this.beat(), beatMs);
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
  }

  beat(): void {
    const now = this.#now();
    if (now.monotonicMs - this.#beatAt.monotonicMs >= stallMs || Math.abs(now.timeMs - this.#beatAt.timeMs) >= stallMs)
      this.#endedAt = now.monotonicMs;
    this.#beatAt = now;
  }

  /** Whether the process has not run at some time after `since` (performance.now()). After a stall any timer can run first, this one's or the caller's. */
  after(since: number): boolean {
    this.beat();
    return this.#endedAt > since;
  }

  #now(): { monotonicMs: number; timeMs: number } {
    return { monotonicMs: this.#clocks.monotonicMs(), timeMs: this.#clocks.timeMs() };
  }
}
