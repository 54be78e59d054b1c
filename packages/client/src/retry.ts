/**
 * What is sent again. Nothing is done twice: what surely was not done is sent again, and what may have been done only where it is a read,
 * or has an Idempotency-Key, under which the service does a call once and answers it again.
 */
import { backoffMs } from './backoff.js';
import type { ClientErrorCode, PerchError } from './error.js';
import type { ErrorCode } from './types.generated.js';

export interface Repeatable {
  /** Changes nothing. */
  reads: boolean;
  /** Has an Idempotency-Key. */
  keyed: boolean;
  /** Held open for a person's tap. */
  waits: boolean;
}

/**
 * `not_done`: surely not done, and the next try may do it. `lost`: what became of it was not told, and may be told the next time.
 * `unknown`: nobody knows what became of it, and under its key nobody ever will. `final`: trying again is of no use.
 */
type Meaning = 'not_done' | 'lost' | 'unknown' | 'final';

const meanings: Record<ErrorCode | ClientErrorCode, Meaning> = {
  bad_argument: 'final',
  malformed_json: 'final',
  bad_picture: 'final',
  card_showing: 'final',
  command_not_passed_on: 'final',
  unauthorized: 'final',
  unknown_robot: 'final',
  not_found: 'final',
  method_not_allowed: 'final',
  body_too_large: 'final',
  not_json: 'final',
  rate_limited: 'not_done',
  internal: 'lost',
  not_offered: 'final',
  // A robot that moves from one instance to another was waited for already.
  robot_offline: 'final',
  robot_busy: 'not_done',
  busy: 'not_done',
  robot_hardware: 'final',
  no_ack: 'unknown',
  outcome_unknown: 'unknown',
  render_failed: 'not_done',
  storage_full: 'final',
  service_unavailable: 'not_done',
  draining: 'not_done',
  unreachable: 'not_done',
  no_answer: 'lost',
  bad_answer: 'lost',
};

/** What no program would want to sit through. */
const longestRetryAfterS = 60;
const firstMs = 200;

/**
 * How long to wait before the call is sent again; null where it must not, or need not, be.
 * @param tries that have failed, from 1
 */
export function retryInMs(error: PerchError, call: Repeatable, tries: number): number | null {
  if (!mayRepeat(error, call)) return null;
  const { retryAfterS = 0 } = error;
  if (retryAfterS > longestRetryAfterS) return null;
  return retryAfterS * 1000 + backoffMs(tries, firstMs);
}

function mayRepeat(error: PerchError, { reads, keyed, waits }: Repeatable): boolean {
  // The first actions of a scene were done.
  if (error.results !== undefined && error.results.length > 0) return false;
  switch (meanings[error.code]) {
    case 'not_done':
      // A question may have been answered when the service lost sight of it.
      return keyed || !(waits && error.code === 'service_unavailable');
    case 'lost':
      // A proxy's 4xx is an answer for good.
      return (reads || keyed) && !(error.status >= 400 && error.status < 500);
    case 'unknown':
      return reads;
    default:
      return false;
  }
}
