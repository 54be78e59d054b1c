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

/** A longer Retry-After is reported to the program instead. */
const longestRetryAfterS = 60;
const firstMs = 200;

/** @param tries failed tries, from 1 @returns ms, or null if the call is not retried */
export function retryInMs(error: PerchError, call: Repeatable, tries: number): number | null {
  if (!mayRepeat(error, call)) return null;
  const { retryAfterS = 0 } = error;
  if (retryAfterS > longestRetryAfterS) return null;
  return retryAfterS * 1000 + backoffMs(tries, firstMs);
}

function mayRepeat(error: PerchError, { reads, keyed, waits }: Repeatable): boolean {
  // The first actions of a scene were executed.
  if (error.results !== undefined && error.results.length > 0) return false;
  switch (outcomes[error.code]) {
    case 'not_done':
      // Without a key the outcome of a question cannot be read again: the person may have answered it.
      return keyed || !(waits && error.code === 'service_unavailable');
    case 'lost':
      // A 4xx of a proxy is final.
      return (reads || keyed) && !(error.status >= 400 && error.status < 500);
    case 'unknown':
      return reads;
    default:
      return false;
  }
}
