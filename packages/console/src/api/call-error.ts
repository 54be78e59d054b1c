/** A failed request: a message for the user and, if known, the form field it belongs to. */

export class CallError extends Error {
  override readonly name = 'CallError';
  /** Error code of the service; `unreachable`, `timed_out` or `unreadable` without a valid response. */
  readonly code: string;
  /** 0 without a response. */
  readonly status: number;
  readonly field: string | null;
  readonly retryAfterS: number | null;
  /** Parsed, to show it; null without a response. */
  readonly body: unknown;

  constructor(
    code: string,
    message: string,
    {
      status = 0,
      field = null,
      retryAfterS = null,
      body = null,
      cause,
    }: { status?: number; field?: string | null; retryAfterS?: number | null; body?: unknown; cause?: unknown } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.status = status;
    this.field = field;
    this.retryAfterS = retryAfterS;
    this.body = body;
  }
}

export function messageOf(error: unknown): string {
  return error instanceof CallError ? error.message : 'Something went wrong in this page. Reload it and try again.';
}

/** @param text unchecked body of the response */
export function failureOf(status: number, text: string, retryAfter: string | null): CallError {
  const seconds = Number(retryAfter ?? Number.NaN);
  const retryAfterS = Number.isFinite(seconds) && seconds >= 0 && retryAfter !== '' ? Math.ceil(seconds) : null;
  const body = parsed(text);
  if (typeof body === 'object' && body !== null) {
    const { code, error, field } = body as { code?: unknown; error?: unknown; field?: unknown };
    if (typeof code === 'string' && typeof error === 'string') {
      return new CallError(code, error, { status, retryAfterS, body, field: typeof field === 'string' ? field : null });
    }
  }
  return new CallError('unreadable', `The service sent an unexpected response (status ${status}). Try again in a moment.`, {
    status,
    retryAfterS,
    body,
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
