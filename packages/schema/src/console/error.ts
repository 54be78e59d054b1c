/** Error codes of the web page, apart from the interface's: the OpenAPI description, the client and the CLI cover only /v1. */
export const consoleErrorCodes = {
  signed_out: { status: 401, title: 'Not signed in, or the session ended.' },
  wrong_credentials: { status: 401, title: 'Wrong e-mail address, password or passkey, or the link was already used.' },
  forbidden: { status: 403, title: 'The request does not come from a page of this service.' },
  sign_up_closed: { status: 403, title: 'Sign-up is closed, or requires an invitation.' },
  conflict: { status: 409, title: 'It already exists, or has changed in the meantime.' },
  too_many_attempts: { status: 429, title: 'Too many attempts. Wait and try again.' },
  mail_failed: { status: 503, title: 'The e-mail could not be sent.' },
  too_busy: { status: 503, title: 'This instance is too busy at the moment.' },
} as const;

export type ConsoleErrorCode = keyof typeof consoleErrorCodes;

/** `message` says what was wrong and what to do. */
export class ConsoleError extends Error {
  override readonly name = 'ConsoleError';
  readonly code: ConsoleErrorCode;
  readonly status: number;
  /** Name of the field at fault, such as `email`. */
  readonly field?: string;
  /** Whole seconds, sent as `Retry-After`. */
  readonly retryAfterS?: number;

  constructor(
    code: ConsoleErrorCode,
    message: string,
    { field, retryAfterS, cause }: { field?: string; retryAfterS?: number; cause?: unknown } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.status = consoleErrorCodes[code].status;
    if (field !== undefined) this.field = field;
    if (retryAfterS !== undefined) this.retryAfterS = retryAfterS;
  }
}
