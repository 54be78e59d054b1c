/**
 * What the console answers beyond the interface's own errors: code -> status. A table of its own, so that the published description,
 * the client and the CLI, which speak of /v1 alone, know nothing of it.
 */
export const consoleErrorCodes = {
  signed_out: { status: 401, title: 'Nobody is signed in, or the session ended.' },
  wrong_credentials: { status: 401, title: 'The e-mail address and the password do not belong together, or the link is used up.' },
  forbidden: { status: 403, title: 'Not asked for by a page of this service.' },
  sign_up_closed: { status: 403, title: 'No account can be made here without an invitation, or at all.' },
  conflict: { status: 409, title: 'It is there already, or has changed meanwhile.' },
  too_many_attempts: { status: 429, title: 'Too many attempts; wait.' },
  too_busy: { status: 503, title: 'This instance has too much of this to do at the moment.' },
} as const;

export type ConsoleErrorCode = keyof typeof consoleErrorCodes;

/** An error that a person at the page gets to read: `message` is a sentence that says what was wrong and what to do. */
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
