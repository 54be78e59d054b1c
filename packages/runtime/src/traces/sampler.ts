/**
 * Decides which traces are recorded, at the service that receives the request.
 *
 * The decision never depends on the trace id, and the ratio applies whether or not the caller records its own trace: callers choose both, and
 * must be able neither to force traces nor to prevent them. A caller that records its trace gets one on demand, up to a rate limit for all callers.
 */
const burstS = 1;

export class TraceSampler {
  readonly #ratio: number;
  readonly #requestedPerS: number;
  #tokens: number;
  #filledAt = performance.now();

  constructor(ratio: number, requestedPerS: number) {
    this.#ratio = ratio;
    this.#requestedPerS = requestedPerS;
    this.#tokens = requestedPerS * burstS;
  }

  decides(requested: boolean): boolean {
    return (requested && this.#takeToken()) || (this.#ratio > 0 && Math.random() < this.#ratio);
  }

  #takeToken(): boolean {
    const now = performance.now();
    this.#tokens = Math.min(this.#requestedPerS * burstS, this.#tokens + ((now - this.#filledAt) / 1000) * this.#requestedPerS);
    this.#filledAt = now;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}
