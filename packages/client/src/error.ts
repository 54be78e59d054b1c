/** The one error of the client: what the service refused or failed with, by its code, and what kept the service from answering. */
import type { ErrorCode, Failure } from './types.generated.js';

/**
 * - `unreachable`: no connection came about, so that nothing was sent. Browsers do not tell it from the next.
 * - `no_answer`: no answer came; what was sent may have been done.
 * - `bad_answer`: what answered is no Perch, such as a proxy with a page of its own; what was sent may have been done.
 */
export type ClientErrorCode = 'unreachable' | 'no_answer' | 'bad_answer';

export interface PerchErrorDetails {
  /** HTTP status; 0 where there was no answer. */
  status: number;
  field?: string | undefined;
  requestId?: string | undefined;
  retryAfterS?: number | undefined;
  results?: Record<string, unknown>[] | undefined;
  cause?: unknown;
}

/** Its message is a sentence: what was wrong, where, and what to do. */
export class PerchError extends Error {
  override readonly name = 'PerchError';
  /** Stable; what to decide by. Of a newer service it may be one that is not in the list. */
  readonly code: ErrorCode | ClientErrorCode;
  readonly status: number;
  /** Path of the argument at fault, such as `regions[2].polygon`. */
  readonly field: string | undefined;
  /** Names the call in the logs of the service. */
  readonly requestId: string | undefined;
  /** Seconds after which the service would like to be asked again. */
  readonly retryAfterS: number | undefined;
  /** Of a scene: the answers of the actions that were done before the one that failed. */
  readonly results: Record<string, unknown>[] | undefined;

  constructor(code: ErrorCode | ClientErrorCode, message: string, details: PerchErrorDetails) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.status = details.status;
    this.field = details.field;
    this.requestId = details.requestId;
    this.retryAfterS = details.retryAfterS;
    this.results = details.results;
  }
}

/** The failure in a body, or what is no answer of a Perch. @param body as it came, parsed where it was JSON */
export function errorOf(status: number, body: unknown, retryAfterS?: number): PerchError {
  if (!isFailure(body)) {
    const sentence = `What answered with status ${status} is no Perch; look at baseUrl and at what stands between.`;
    return new PerchError('bad_answer', sentence, { status, retryAfterS });
  }
  const { code, error, field, request_id: requestId, results } = body;
  return new PerchError(code, error, { status, field, requestId, results, retryAfterS });
}

function isFailure(body: unknown): body is Failure {
  const { ok, error, code } = (typeof body === 'object' && body !== null ? body : {}) as Partial<Record<keyof Failure, unknown>>;
  return ok === false && typeof error === 'string' && typeof code === 'string';
}
