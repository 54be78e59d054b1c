/** The table of error codes. Any exception that is not an `ApiError` is a fault of the service, reported as `internal` with a fixed message. */

interface ErrorKind {
  status: number;
  /** The code's general meaning; the message describes the specific problem. */
  title: string;
}

export const errorCodes = {
  bad_argument: { status: 400, title: 'An argument is wrong, missing, unknown or contradicts another.' },
  malformed_json: { status: 400, title: 'The body is not valid JSON.' },
  bad_picture: { status: 400, title: 'A picture is not a decodable JPEG or PNG, or is too large.' },
  not_whole: { status: 400, title: 'A text cannot be shown whole and legibly, as the call demands.' },
  image_unreachable: { status: 400, title: 'A picture cannot be fetched from its address.' },
  card_showing: { status: 400, title: 'A card or question covers the face.' },
  command_not_passed_on: { status: 400, title: 'The command is never passed on to a robot.' },
  unauthorized: { status: 401, title: 'The API key is missing or not valid.' },
  scope_missing: { status: 403, title: 'This API key lacks a scope that the call needs.' },
  unknown_robot: { status: 404, title: 'This API key has no robot with this id.' },
  not_found: { status: 404, title: 'The path does not exist.' },
  method_not_allowed: { status: 405, title: 'The path does not support this method.' },
  body_too_large: { status: 413, title: 'The body is larger than 2 MB.' },
  not_json: { status: 415, title: 'The body is not declared as application/json.' },
  rate_limited: { status: 429, title: 'Too many requests with this API key.' },
  queue_full: { status: 429, title: 'The queue of the robot is full.' },
  internal: { status: 500, title: 'Something went wrong in the service.' },
  not_offered: { status: 501, title: 'The robot does not offer the action or command.' },
  robot_offline: { status: 503, title: 'The robot is not connected to the service.' },
  robot_busy: { status: 503, title: 'The robot has too many commands pending.' },
  busy: { status: 503, title: 'Too many pictures and sounds of the account are waiting to be rendered.' },
  robot_hardware: { status: 503, title: 'A hardware part of the robot failed.' },
  no_ack: { status: 503, title: 'The robot did not confirm in time. It may have done it, and will not do it later.' },
  outcome_unknown: { status: 503, title: 'It is unknown whether the robot did it. The service never does it twice.' },
  render_failed: { status: 503, title: 'The picture or sound could not be rendered.' },
  speech_failed: { status: 503, title: 'The speech engine failed or took too long. The robot does not speak.' },
  storage_full: { status: 503, title: 'The account has reached a storage limit, or the storage of the service is full.' },
  service_unavailable: { status: 503, title: 'The service cannot reach its storage, or its storage refuses the call.' },
  draining: { status: 503, title: 'The instance that handled the call is shutting down.' },
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof errorCodes;

const looksFirst =
  'Read GET /v1/robots/{robot} to see what the robot does before you send a new request; with the same Idempotency-Key the answer stays this one.';
const afterPause = 'Wait for the seconds of Retry-After, then send the request again.';

/** Advice to programs over HTTP, where there is more to say than the message does. Agents have their own, in words for tools. */
export const nextRequests: Readonly<Partial<Record<ErrorCode, string>>> = {
  not_whole: 'Shorten the text, or replace or remove the character that the error names; without "whole" the text is shown cut.',
  image_unreachable: 'Send an https address of a JPEG or PNG that is reachable from the internet, or the picture in base64.',
  card_showing: 'Send show with "clear": true, or wait until the question ends; then send the request again.',
  command_not_passed_on: 'Use an action instead; GET /v1/robots/{robot} lists the commands that can be sent.',
  scope_missing: 'Ask the owner of the robot for an API key with the scope that the error names.',
  queue_full: 'Send the request again later, or without queue to replace what shows.',
  rate_limited: afterPause,
  not_offered: 'GET /v1/robots/{robot} lists the features and commands that the robot has.',
  robot_offline: 'GET /v1/robots/{robot} says whether the robot is online again; its return is the event connected.',
  robot_busy: 'Wait a moment, then send the request again.',
  busy: afterPause,
  no_ack: looksFirst,
  outcome_unknown: looksFirst,
  speech_failed: 'Send the request again once; if it fails again, show the text with say.',
};

/** Failures that count against docs/slo.md, which gives the reasons. A robot that loses its connection may also cause `outcome_unknown`. */
export const serviceFaultCodes = [
  'internal',
  'outcome_unknown',
  'render_failed',
  'service_unavailable',
  'draining',
] as const satisfies readonly ErrorCode[];

export type UntrustedPart = 'error' | 'field';

export interface ApiErrorDetails {
  field?: string | undefined;
  /** Logged, never sent. */
  cause?: unknown;
  retryAfterS?: number | undefined;
  /** Results of a scene's actions before the one that failed. */
  results?: readonly object[] | undefined;
  /** Where the failure quotes text from people or robots; MCP responses mark it as untrusted input. Default: nowhere. */
  untrusted?: readonly UntrustedPart[] | undefined;
}

export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  readonly status: number;
  readonly field?: string;
  readonly retryAfterS?: number;
  readonly results?: readonly object[];
  readonly untrusted: readonly UntrustedPart[];

  constructor(code: ErrorCode, message: string, details: ApiErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.status = errorCodes[code].status;
    if (details.field !== undefined) this.field = details.field;
    if (details.retryAfterS !== undefined) this.retryAfterS = details.retryAfterS;
    if (details.results !== undefined) this.results = details.results;
    this.untrusted = (details.untrusted ?? []).filter((part) => part === 'error' || details.field !== undefined);
  }

  /** Returns the error with another message and these details changed; the other details stay, so that none is forgotten. */
  with(message: string, changed: ApiErrorDetails = {}): ApiError {
    const { code, field, cause, retryAfterS, results, untrusted } = this;
    return new ApiError(code, message, { field, cause, retryAfterS, results, untrusted, ...changed });
  }
}

/** The message is for the operator and is shown without a stack; the exit code is not 0. */
export class StartRefused extends Error {
  override readonly name = 'StartRefused';
}

/** `upload` is the sha256 of its bytes, which identifies the argument that contained it. */
export class BadPicture extends ApiError {
  readonly upload: string;

  constructor(upload: string, message: string, cause?: unknown) {
    super('bad_picture', message, { cause });
    this.upload = upload;
  }
}
