export interface ReconnectPace {
  /** 1 s. The jitter after 4009 is up to half of it, and a connection that lasted 60 times as long resets the backoff. */
  minMs: number;
  /** 60 s; also the wait after 4001. */
  maxMs: number;
}

const finalCodes: Record<number, string> = { 4003: 'revoked: pair again', 4010: 'no common version of the link' };
const replaced = 4001;
const draining = 4009;

export class Backoff {
  readonly #pace: ReconnectPace;
  readonly #random: () => number;
  #attempt = 0;

  constructor(pace: ReconnectPace, random: () => number) {
    this.#pace = pace;
    this.#random = random;
  }

  /** Null: the robot reconnects. @param mark the header `Perch-Link` of an answer that refused the upgrade: a portal or a proxy answers 401 without it */
  end(code: number, httpStatus: number | null, mark: string | null): string | null {
    if (httpStatus === 401 && mark === 'pair') return 'the token is not valid';
    return finalCodes[code] ?? null;
  }

  /** @param onlineMs how long the session had lasted */
  waitMs(code: number, onlineMs: number): number {
    const { minMs, maxMs } = this.#pace;
    if (onlineMs >= 60 * minMs) this.reset();
    if (code === draining) return this.#random() * (minMs / 2);
    if (code === replaced) return maxMs;
    const backoffMs = Math.min(maxMs, minMs * 2 ** this.#attempt);
    this.#attempt += 1;
    return backoffMs * (0.7 + 0.6 * this.#random());
  }

  reset(): void {
    this.#attempt = 0;
  }
}
