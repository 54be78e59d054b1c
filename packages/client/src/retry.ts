/**
 * What is sent again. Nothing is done twice: what surely was not done is sent again, and what may have been done only where doing it
 * twice is harmless: a read, or a call with an Idempotency-Key.
 */
import { backoffMs } from './backoff.js';
import type { ClientErrorCode, PerchError } from './error.js';
import type { ErrorCode } from './types.generated.js';

export interface Repeatable {
  /** Changes nothing, or is named by an Idempotency-Key. */
  harmless: boolean;
  /** Held open for a person's tap. */
  waits: boolean;
}

/** `not_done`: surely not done, and the next try may do it. `unknown`: may have been done. `final`: trying again is of no use. */
type Meaning = 'not_done' | 'unknown' | 'final';

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
  internal: 'unknown',
  not_offered: 'final',
  // A robot that moves from one instance to another was waited for already.
  robot_offline: 'final',
  robot_busy: 'not_done',
  robot_hardware: 'final',
  no_ack: 'unknown',
  outcome_unknown: 'unknown',
  render_failed: 'not_done',
  storage_full: 'final',
  service_unavailable: 'not_done',
  draining: 'not_done',
  no_answer: 'unknown',
  bad_answer: 'unknown',
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

function mayRepeat(error: PerchError, { harmless, waits }: Repeatable): boolean {
  // The first actions of a scene were done.
  if (error.results !== undefined && error.results.length > 0) return false;
  if (neverSent(error)) return true;
  switch (meanings[error.code]) {
    case 'not_done':
      // A question may have been answered when the service lost sight of it.
      return harmless || !(waits && error.code === 'service_unavailable');
    case 'unknown':
      // A proxy's 4xx is an answer for good.
      return harmless && !(error.status >= 400 && error.status < 500);
    default:
      return false;
  }
}

/** Where no connection came about, nothing was sent. Browsers do not tell. */
function neverSent({ code, cause }: PerchError): boolean {
  if (code !== 'no_answer') return false;
  const reason = (cause as { cause?: { code?: unknown } } | undefined)?.cause?.code;
  return typeof reason === 'string' && noConnection.has(reason);
}

const noConnection: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);
