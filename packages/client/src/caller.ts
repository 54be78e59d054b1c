/** One call over HTTP: held back by the key's bucket, sent, sent again where that is safe, and answered as JSON or as a `PerchError`. */
import { errorOf, PerchError } from './error.js';
import type { CallOptions, PerchOptions } from './options.js';
import { retryInMs } from './retry.js';
import { sleep } from './sleep.js';
import { Throttle } from './throttle.js';

const retriesDefault = 3;

export interface Call {
  method: 'GET' | 'POST';
  /** With its query. */
  path: string;
  /** Sent as JSON; left out, there is no body. */
  body?: object;
  headers?: Record<string, string>;
  /** Actions it takes from the key's bucket. */
  cost: number;
  /** Changes nothing. */
  reads: boolean;
  /** Held open for a person's tap. */
  waits: boolean;
  /** An answer that is not there by then does not come any more. */
  withinMs: number;
}

export class Caller {
  readonly #baseUrl: string;
  readonly #apiKey: string;
  readonly #fetch: typeof fetch;
  readonly #maxRetries: number;
  readonly #ownKeys: boolean;
  readonly #throttle = new Throttle();

  /** @throws {TypeError} where address or key are missing or cannot be */
  constructor({ baseUrl, apiKey, fetch, maxRetries = retriesDefault, idempotencyKeys = true }: PerchOptions) {
    if (baseUrl === undefined || !/^https?:\/\//i.test(baseUrl)) {
      throw new TypeError(`baseUrl must be where the service answers, such as http://127.0.0.1:8080; it is ${JSON.stringify(baseUrl)}`);
    }
    if (apiKey === undefined || !/^[\x21-\x7e]+$/.test(apiKey)) throw new TypeError('apiKey must be an API key, such as pk_...');
    this.#baseUrl = baseUrl.replace(/\/+$/, '');
    this.#apiKey = apiKey;
    this.#fetch = fetch ?? ((...args) => globalThis.fetch(...args));
    this.#maxRetries = maxRetries;
    this.#ownKeys = idempotencyKeys && maxRetries > 0;
  }

  /**
   * The answer's JSON.
   * @throws {PerchError} what the service answered, or that it did not; the signal's reason
   */
  async json<T>(call: Call, options: CallOptions = {}): Promise<T> {
    return this.#trying(call, options, async (response) => {
      const body = await parsed(response);
      if (!response.ok || (body as { ok?: unknown } | null)?.ok === false) throw failed(response, body);
      if (typeof body !== 'object' || body === null) throw errorOf(response.status, body);
      return body as T;
    });
  }

  /** An answer that is read as it comes; what is not 2xx is a failure here too. @param options its signal ends the body as well */
  async open(call: Call, options: CallOptions): Promise<Response> {
    return this.#trying(call, options, async (response) => {
      if (!response.ok) throw failed(response, await parsed(response));
      return response;
    });
  }

  async #trying<T>(call: Call, options: CallOptions, read: (response: Response) => Promise<T>): Promise<T> {
    // A question under a key stays for a while when its caller hangs up, so that no key is thought up for one.
    const idempotencyKey = options.idempotencyKey ?? (this.#ownKeys && !call.reads && !call.waits ? newKey() : undefined);
    const again = { reads: call.reads, keyed: idempotencyKey !== undefined, waits: call.waits };
    for (let tries = 1; ; tries++) {
      try {
        return await this.#once(call, { ...options, idempotencyKey }, read);
      } catch (error) {
        if (!(error instanceof PerchError) || tries > this.#maxRetries) throw error;
        const waitMs = retryInMs(error, again, tries);
        if (waitMs === null) throw error;
        await sleep(waitMs, options.signal);
      }
    }
  }

  async #once<T>(call: Call, { signal, idempotencyKey }: CallOptions, read: (response: Response) => Promise<T>): Promise<T> {
    await this.#throttle.enter(call.cost, signal);
    let headers: Headers | undefined;
    const sentAt = performance.now();
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), call.withinMs);
    try {
      const response = await this.#fetch(this.#baseUrl + call.path, {
        method: call.method,
        headers: {
          authorization: `Bearer ${this.#apiKey}`,
          ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
          ...call.headers,
        },
        ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
        signal: signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]),
      });
      headers = response.headers;
      return await read(response);
    } catch (error) {
      signal?.throwIfAborted();
      throw error instanceof PerchError ? error : noAnswer(error, late.signal.aborted ? call.withinMs : null);
    } finally {
      clearTimeout(timer);
      this.#throttle.done(call.cost, headers, performance.now() - sentAt);
    }
  }
}

/** Not `crypto.randomUUID`, which pages have over https alone. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

async function parsed(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function failed({ status, headers }: Response, body: unknown): PerchError {
  const retryAfter = headers.get('retry-after');
  return errorOf(status, body, retryAfter !== null && /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) : undefined);
}

/** @param afterMs how long was waited, where that ended it */
function noAnswer(cause: unknown, afterMs: number | null): PerchError {
  if (afterMs !== null) return new PerchError('no_answer', `The service did not answer within ${afterMs / 1000} s.`, { status: 0, cause });
  const { code, message } = ((cause as Error).cause ?? cause) as { code?: unknown; message?: unknown };
  const why = typeof message === 'string' && message !== '' ? message : String(code);
  if (noConnection.has(code)) return new PerchError('unreachable', `The service cannot be reached (${why}).`, { status: 0, cause });
  return new PerchError('no_answer', `The service did not answer (${why}).`, { status: 0, cause });
}

/** What node says where no connection came about. */
const noConnection: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);
