/**
 * Holds calls back so that the key's bucket does not run out. It keeps the bucket as the service describes it in `RateLimit-Policy`
 * (`q` deep, full in `w` seconds) and corrects it by what each answer says is left (`RateLimit`); until the first answer it knows nothing and holds nothing.
 */
import { sleep } from './sleep.js';

const freshMs = 1000;

export interface ThrottleClock {
  /** ms that never step back. */
  now(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export class Throttle {
  readonly #clock: ThrottleClock;
  /** Actions the bucket holds at most. */
  #depth = Infinity;
  #perMs = Infinity;
  /** Left at `#at`; below 0 where calls wait already. */
  #level = Infinity;
  #at = 0;
  /** Where there is no policy: nothing is sent before then. */
  #emptyUntil = 0;
  /** Calls that took from it and are not answered yet. */
  #open = 0;

  constructor(clock: ThrottleClock = { now: () => performance.now(), sleep }) {
    this.#clock = clock;
  }

  /**
   * Resolves when the call may be sent; in the order of the calls. `done` belongs behind each.
   * @param cost actions it takes
   * @throws the signal's reason
   */
  async enter(cost: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (cost === 0) return;
    this.#refill();
    this.#open++;
    this.#level -= cost;
    const waitMs = Math.max(this.#level < 0 ? -this.#level / this.#perMs : 0, this.#emptyUntil - this.#clock.now());
    if (waitMs <= 0) return;
    try {
      await this.#clock.sleep(waitMs, signal);
    } catch (error) {
      this.#level += cost;
      this.#open--;
      throw error;
    }
  }

  /**
   * The call was answered, or is lost.
   * @param headers of its answer
   * @param tookMs since it was sent; what is left was counted when it came in, and is no news any more when a person took their time
   */
  done(cost: number, headers?: Headers, tookMs = 0): void {
    if (cost === 0) return;
    this.#open--;
    const said = headers === undefined || tookMs > freshMs ? null : limitOf(headers);
    if (said === null) return;
    this.#refill();
    const { left, resetS, depth, windowS } = said;
    if (depth === null || windowS === null) {
      if (left === 0) this.#emptyUntil = this.#clock.now() + resetS * 1000;
      return;
    }
    this.#depth = depth;
    this.#perMs = depth / (windowS * 1000);
    // What calls on their way take is not in what was said, unless there are none.
    this.#level = this.#open === 0 ? left : Math.min(this.#level, left);
  }

  #refill(): void {
    const now = this.#clock.now();
    // Infinity times 0 would be no number.
    if (this.#perMs !== Infinity) this.#level = Math.min(this.#depth, this.#level + (now - this.#at) * this.#perMs);
    this.#at = now;
  }
}

interface Limit {
  left: number;
  resetS: number;
  depth: number | null;
  windowS: number | null;
}

/** Of `RateLimit: "actions";r=29;t=1` and `RateLimit-Policy: "actions";q=30;w=3`. */
function limitOf(headers: Headers): Limit | null {
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
