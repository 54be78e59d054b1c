/** A call that failed, as the page speaks of it: a sentence for the person, and the field it belongs to where there is one. */

export class CallError extends Error {
  override readonly name = 'CallError';
  /** The service's code, or `unreachable`, `timed_out`, `unreadable` where no answer of it came. */
  readonly code: string;
  /** 0 where there was no answer. */
  readonly status: number;
  /** Path of the argument at fault, such as `regions[2].polygon`. */
  readonly field: string | null;
  readonly retryAfterS: number | null;
  /** The body as it came, for who shows answers; null where there was none. */
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

/** Of anything thrown: what to tell the person. */
export function messageOf(error: unknown): string {
  return error instanceof CallError ? error.message : 'Something went wrong in this page. Reload it and try again.';
}

/** @param text the answer's body, whatever it is */
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
  return new CallError('unreadable', `The service answered with status ${status} and nothing this page understands. Try again in a moment.`, {
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
