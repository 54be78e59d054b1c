/**
 * Decides which failed calls are retried. Nothing is executed twice: a call that was certainly not executed is retried; one that may have been
 * executed only if it is a read or has an Idempotency-Key, with which the service executes a call once and replays the response.
 */
import { backoffMs } from './backoff.js';
import type { ClientErrorCode, PerchError } from './error.js';
import type { ErrorCode } from './types.generated.js';

export interface Repeatable {
  reads: boolean;
  keyed: boolean;
  /** The request stays open until a person taps. */
  waits: boolean;
  /** A question that is asked again for as long as the service keeps it open (`retry`). */
  persists: boolean;
}

/**
 * `not_done`: certainly not executed; a retry may succeed. `lost`: the outcome did not arrive; a retry with the same key returns it. `unknown`: the
 * service does not know it; a retry with the same key returns the same error. `final`: a retry is useless.
 */
type Outcome = 'not_done' | 'lost' | 'unknown' | 'final';

const outcomes: Record<ErrorCode | ClientErrorCode, Outcome> = {
  bad_argument: 'final',
  malformed_json: 'final',
  bad_picture: 'final',
  not_whole: 'final',
  image_unreachable: 'final',
  card_showing: 'final',
  command_not_passed_on: 'final',
  unauthorized: 'final',
  scope_missing: 'final',
  unknown_robot: 'final',
  not_found: 'final',
  method_not_allowed: 'final',
  body_too_large: 'final',
  not_json: 'final',
  rate_limited: 'not_done',
  // A queue is full until people have answered its questions, which may take minutes.
  queue_full: 'final',
  internal: 'lost',
  not_offered: 'final',
  // The service has already waited for a robot that moves from one instance to another.
  robot_offline: 'final',
  robot_busy: 'not_done',
  busy: 'not_done',
  robot_hardware: 'final',
  no_ack: 'unknown',
  outcome_unknown: 'unknown',
  render_failed: 'not_done',
  // The robot is silent; the engine is the operator's, and each try may cost.
  speech_failed: 'final',
  storage_full: 'final',
  service_unavailable: 'not_done',
  draining: 'not_done',
  unreachable: 'not_done',
  no_answer: 'lost',
  bad_answer: 'lost',
};

/** A longer wait, for a Retry-After or for the rate limit, is reported to the program instead. */
export const longestWaitS = 60;
const firstMs = 200;

/** How long the service keeps a question open after its connection broke. */
const keptMs = 15_000;
/** So that the last tries come about 2 s apart. */
const persistingTries = 4;
/** A try that was open for longer had reached the service. */
const reachedMs = 1_000;

/** The failed tries of one call. */
export class FailedTries {
  readonly #call: Repeatable;
  readonly #maxRetries: number;
  #tries = 0;
  /** When the connection to an open question broke. */
  #brokenAt: number | null = null;

  constructor(call: Repeatable, maxRetries: number) {
    this.#call = call;
    this.#maxRetries = maxRetries;
  }

  /** @param sentAt when the failed try was sent, on the clock of `now`, ms @returns the time to wait before the next one, ms, or null for none */
  retryInMs(error: PerchError, sentAt: number, now: number): number | null {
    if (this.#call.persists && error.code !== 'unreachable' && now - sentAt > reachedMs) {
      this.#tries = 0;
      this.#brokenAt = null;
    }
    this.#tries++;
    if (this.#call.persists && mayBeOpen(error)) this.#brokenAt ??= now;
    const { retryAfterS = 0 } = error;
    if (!mayRepeat(error, this.#call) || retryAfterS > longestWaitS) return null;
    const waitMs = retryAfterS * 1000 + backoffMs(this.#call.persists ? Math.min(this.#tries, persistingTries) : this.#tries, firstMs);
    const isLate = this.#brokenAt === null ? this.#tries > this.#maxRetries : now + waitMs > this.#brokenAt + keptMs;
    return isLate ? null : waitMs;
  }
}

/** Returns whether a question whose call failed so may be open. */
export function mayBeOpen(error: PerchError): boolean {
  return error.code === 'unreachable' || outcomes[error.code] === 'lost';
}

function mayRepeat(error: PerchError, { reads, keyed, waits }: Repeatable): boolean {
  // The first actions of a scene were executed.
  if (error.results !== undefined && error.results.length > 0) return false;
  // A proxy's, too: what it refuses was not executed.
  if (error.status === 429) return true;
  switch (outcomes[error.code]) {
    case 'not_done':
      // Without a key the outcome of a question cannot be read again: the person may have answered it.
      return keyed || !(waits && error.code === 'service_unavailable');
    case 'lost':
      // A redirect or a 4xx of a proxy is final.
      return (reads || keyed) && !(error.status >= 300 && error.status < 500);
    case 'unknown':
      return reads;
    default:
      return false;
  }
}
