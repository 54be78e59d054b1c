import type { ErrorCode, Failure } from './types.generated.js';

/**
 * - `unreachable`: no connection was established, so nothing was sent. In browsers it is reported as `no_answer`.
 * - `no_answer`: there was no response; the service may have executed the call.
 * - `bad_answer`: the response is not from a Perch service, such as a proxy's error page; the service may have executed the call.
 */
export type ClientErrorCode = 'unreachable' | 'no_answer' | 'bad_answer';

export interface PerchErrorDetails {
  status: number;
  field?: string | undefined;
  requestId?: string | undefined;
  retryAfterS?: number | undefined;
  next?: string | undefined;
  results?: Record<string, unknown>[] | undefined;
  cause?: unknown;
}

/** The same in each copy of this package, of which a program may have several. */
const brand = Symbol.for('perch.error');

/** Returns whether it is a `PerchError`, also one of another copy of this package, for which `instanceof` is false. */
export function isPerchError(error: unknown): error is PerchError {
  return typeof error === 'object' && error !== null && brand in error;
}

/** A failed call. The message is a sentence that says what is wrong, where, and what to do. */
export class PerchError extends Error {
  override readonly name = 'PerchError';
  /** For `isPerchError`. */
  readonly [brand] = true;
  /** Stable code for programs to decide by. A newer service may send codes that are not in the list. */
  readonly code: ErrorCode | ClientErrorCode;
  /** 0 if there was no response. */
  readonly status: number;
  /** Path of the argument at fault, such as `regions[2].polygon`, if there is one. */
  readonly field: string | undefined;
  /** Identifies the call in the logs of the service. */
  readonly requestId: string | undefined;
  /** Seconds to wait before retrying, from the header `Retry-After`. */
  readonly retryAfterS: number | undefined;
  /** Names the next step, where the service has more to say than the message does. */
  readonly next: string | undefined;
  /** For a scene: the responses of the actions before the one that failed, in order. */
  readonly results: Record<string, unknown>[] | undefined;

  constructor(code: ErrorCode | ClientErrorCode, message: string, details: PerchErrorDetails) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.status = details.status;
    this.field = details.field;
    this.requestId = details.requestId;
    this.retryAfterS = details.retryAfterS;
    this.next = details.next;
    this.results = details.results;
  }
}

/** Returns `bad_answer` for a body other than a failure. @param body parsed JSON, or text */
export function errorOf(body: unknown, details: PerchErrorDetails): PerchError {
  if (!isFailure(body)) return new PerchError('bad_answer', notFromPerch(details.status), details);
  const { code, error, field, next, results } = body;
  const requestId = (body.request_id as string | undefined) ?? details.requestId;
  return new PerchError(code, error, { ...details, field, requestId, next, results });
}

function notFromPerch(status: number): string {
  if (status === 429)
    return 'A proxy refused the call with status 429 (too many requests), not the Perch service: call it less often, or have its limit raised.';
  return `The response with status ${status} is not from a Perch service; check baseUrl and any proxies.`;
}

function isFailure(body: unknown): body is Failure {
  const { ok, error, code } = (typeof body === 'object' && body !== null ? body : {}) as Partial<Record<keyof Failure, unknown>>;
  return ok === false && typeof error === 'string' && typeof code === 'string';
}
