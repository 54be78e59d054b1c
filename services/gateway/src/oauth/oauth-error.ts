/** Errors of the OAuth endpoints (RFC 6749, 5.2; RFC 7591, 3.2.2), and of authorization requests that are answered at the client (4.1.2.1). */
export type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_target'
  | 'invalid_scope'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'invalid_redirect_uri'
  | 'invalid_client_metadata'
  | 'temporarily_unavailable'
  | 'server_error';

export class OAuthError extends Error {
  override readonly name = 'OAuthError';
  readonly code: OAuthErrorCode;
  readonly status: number;
  /** Whole seconds, sent as `Retry-After`. */
  readonly retryAfterS: number | null;

  /** @param message a sentence for the developer of the client: ASCII without quotes */
  constructor(code: OAuthErrorCode, message: string, { status = 400, retryAfterS = null }: { status?: number; retryAfterS?: number | null } = {}) {
    super(message);
    this.code = code;
    this.status = status;
    this.retryAfterS = retryAfterS;
  }
}

/** Parameters of an OAuth request. RFC 6749, 3.1: each at most once, an empty one counts as omitted, and unknown ones are ignored. */
export class Parameters {
  readonly #given: URLSearchParams;

  constructor(text: string) {
    this.#given = new URLSearchParams(text);
  }

  /** @throws {OAuthError} invalid_request, if it is there more than once */
  find(name: string): string | undefined {
    const [value, second] = this.#given.getAll(name);
    if (second !== undefined) throw new OAuthError('invalid_request', `${name} was sent more than once.`);
    return value === '' ? undefined : value;
  }

  /** @throws {OAuthError} invalid_request, also if it is missing */
  get(name: string): string {
    const value = this.find(name);
    if (value === undefined) throw new OAuthError('invalid_request', `${name} is missing.`);
    return value;
  }
}
