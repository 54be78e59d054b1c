/**
 * The one table of errors: code -> status. Whatever goes wrong and is meant for the caller is an `ApiError` with a code of this table;
 * what is not an `ApiError` is our fault and becomes `internal` with a fixed sentence.
 */

interface ErrorKind {
  status: number;
  /** What the code means in general; the error itself says what was wrong this time. */
  title: string;
}

export const errorCodes = {
  bad_argument: { status: 400, title: 'An argument is wrong, missing, unknown or contradicts another.' },
  malformed_json: { status: 400, title: 'The body is not valid JSON.' },
  bad_picture: { status: 400, title: 'A picture is not a decodable JPEG or PNG, or is too large.' },
  card_showing: { status: 400, title: 'A card or question covers the face.' },
  command_not_passed_on: { status: 400, title: 'The command is one that is never passed on to a robot.' },
  unauthorized: { status: 401, title: 'No API key, or not a valid one.' },
  unknown_robot: { status: 404, title: 'Not a robot of this key.' },
  not_found: { status: 404, title: 'There is nothing at this path.' },
  method_not_allowed: { status: 405, title: 'The path does not take this method.' },
  body_too_large: { status: 413, title: 'The body is larger than 2 MB.' },
  not_json: { status: 415, title: 'The body is not declared as application/json.' },
  rate_limited: { status: 429, title: 'Too many requests with this key.' },
  internal: { status: 500, title: 'Something went wrong in the service.' },
  not_offered: { status: 501, title: 'The robot does not offer the action or command.' },
  robot_offline: { status: 503, title: 'The robot is not connected to the service.' },
  robot_busy: { status: 503, title: 'The robot has too much to do already.' },
  busy: { status: 503, title: 'Too many pictures and sounds of the account are waiting to be made.' },
  robot_hardware: { status: 503, title: 'The robot could not do it: a part of it failed.' },
  no_ack: { status: 503, title: 'The robot did not confirm in time: it may have done it, and will not do it later.' },
  outcome_unknown: { status: 503, title: 'The robot may or may not have done it; it is never done twice.' },
  render_failed: { status: 503, title: 'The picture or sound could not be made.' },
  storage_full: { status: 503, title: 'The account has reached a bound of the storage, or the service has no room left.' },
  service_unavailable: { status: 503, title: 'The service cannot reach its storage at the moment.' },
  draining: { status: 503, title: 'The instance that held the call is shutting down.' },
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof errorCodes;

/**
 * Codes of calls that failed by the service's fault: these count against the objective of docs/slo.md, which gives the reason for each code.
 * `outcome_unknown` is among them although a robot that loses its connection causes it too: nothing tells the two apart.
 */
export const serviceFaultCodes = [
  'internal',
  'outcome_unknown',
  'render_failed',
  'service_unavailable',
  'draining',
] as const satisfies readonly ErrorCode[];

export interface ApiErrorDetails {
  /** Path of the argument at fault, such as `regions[2].polygon`. */
  field?: string | undefined;
  /** For the logs alone. */
  cause?: unknown;
  /** Sent as `Retry-After`. */
  retryAfterS?: number | undefined;
  /** Of a scene: what was answered by the actions before the one that failed. */
  results?: readonly object[] | undefined;
  /** The message quotes text that people or robots wrote, such as names of robots; MCP answers mark it as untrusted input. */
  quotesUntrusted?: boolean | undefined;
}

/** An error the caller gets to read: `message` is a sentence that says what was wrong, where, and what to do. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  readonly status: number;
  readonly field?: string;
  readonly retryAfterS?: number;
  readonly results?: readonly object[];
  readonly quotesUntrusted: boolean;

  constructor(code: ErrorCode, message: string, details: ApiErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.status = errorCodes[code].status;
    if (details.field !== undefined) this.field = details.field;
    if (details.retryAfterS !== undefined) this.retryAfterS = details.retryAfterS;
    if (details.results !== undefined) this.results = details.results;
    this.quotesUntrusted = details.quotesUntrusted ?? false;
  }
}
