/**
 * Delays calls to stay within the key's rate limit: a model of the token bucket of `RateLimit-Policy` (`q` actions, refilled in `w` seconds),
 * corrected by the `RateLimit` of each response. Does not delay calls before the first response.
 */
import { PerchError } from './error.js';
import { longestWaitS } from './retry.js';
import { sleep } from './sleep.js';

/** The headers of a call that took longer are outdated. */
const freshMs = 1000;

export interface ThrottleClock {
  /** Monotonic time, ms. */
  now(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export class Throttle {
  readonly #clock: ThrottleClock;
  /** Capacity of the bucket, in actions. */
  #depth = Infinity;
  #perMs = Infinity;
  /** Actions left at `#at`; below 0 if calls are waiting. */
  #level = Infinity;
  #at = 0;
  /** Without a policy nothing is sent before this time. */
  #emptyUntil = 0;
  #inFlight = 0;

  constructor(clock: ThrottleClock = { now: () => performance.now(), sleep }) {
    this.#clock = clock;
  }

  /**
   * Resolves when the call may be sent, in the order of the calls. Each call must be followed by `release`.
   * @param cost actions of the call; 0 if the rate limit does not count it, as for the list of actions
   * @throws the signal's reason if it is aborted @throws {PerchError} it would wait longer than a minute
   */
  async acquire(cost: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (cost === 0) return;
    this.#refill();
    const level = this.#level - cost;
    const waitMs = Math.max(level < 0 ? -level / this.#perMs : 0, this.#emptyUntil - this.#clock.now());
    const retryAfterS = waitMs / 1000;
    if (retryAfterS > longestWaitS)
      throw new PerchError('rate_limited', 'Too many calls with this key are waiting for its rate limit; nothing was sent.', {
        status: 0,
        retryAfterS,
      });
    this.#inFlight++;
    this.#level = level;
    if (waitMs <= 0) return;
    try {
      await this.#clock.sleep(waitMs, signal);
    } catch (error) {
      this.#level += cost;
      this.#inFlight--;
      throw error;
    }
  }

  /**
   * Learns the limit from the response, if there was one.
   * @param tookMs time since the call was sent. The service computes the limit when a request arrives, so the headers of a slow call are outdated.
   */
  release(cost: number, headers?: HeadersRead, tookMs = 0): void {
    if (cost === 0) return;
    this.#inFlight--;
    const limit = headers === undefined || tookMs > freshMs ? null : limitOf(headers);
    if (limit === null) return;
    this.#refill();
    const { left, resetS, depth, windowS } = limit;
    if (depth === null || windowS === null) {
      if (left === 0) this.#emptyUntil = this.#clock.now() + resetS * 1000;
      return;
    }
    this.#depth = depth;
    this.#perMs = depth / (windowS * 1000);
    // The response does not count the other calls in flight.
    this.#level = this.#inFlight === 0 ? left : Math.min(this.#level, left);
  }

  #refill(): void {
    const now = this.#clock.now();
    // Infinity times 0 would be NaN.
    if (this.#perMs !== Infinity) this.#level = Math.min(this.#depth, this.#level + (now - this.#at) * this.#perMs);
    this.#at = now;
  }
}

interface HeadersRead {
  get(name: string): string | null;
}

interface Limit {
  left: number;
  resetS: number;
  depth: number | null;
  windowS: number | null;
}

/** Parses `RateLimit: "actions";r=29;t=1` and `RateLimit-Policy: "actions";q=30;w=3`. */
function limitOf(headers: HeadersRead): Limit | null {
  const limit = headers.get('ratelimit') ?? '';
  const policy = headers.get('ratelimit-policy') ?? '';
  const left = parameter(limit, 'r');
  if (left === null) return null;
  return { left, resetS: parameter(limit, 't') ?? 0, depth: parameter(policy, 'q'), windowS: parameter(policy, 'w') };
}

function parameter(text: string, name: string): number | null {
  const digits = new RegExp(`;\\s*${name}=(\\d{1,9})(?:$|[;,\\s])`).exec(text)?.[1];
  return digits === undefined ? null : Number(digits);
}
