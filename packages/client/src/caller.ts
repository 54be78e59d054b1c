/** Sends calls over HTTP: throttles them to the key's rate limit, retries where safe, and returns JSON or throws a `PerchError`. */
import { errorOf, PerchError } from './error.js';
import type { CallOptions, PerchOptions } from './options.js';
import { retryInMs } from './retry.js';
import { sleep } from './sleep.js';
import { Throttle } from './throttle.js';

const retriesDefault = 3;

export interface Call {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  /** An object is sent as JSON, bytes as they are; `headers` must then have their content type. If unset, there is no body. */
  body?: object | Uint8Array<ArrayBuffer>;
  headers?: Record<string, string>;
  /** Actions it counts for in the key's rate limit. */
  cost: number;
  reads: boolean;
  /** The request stays open until a person taps. */
  waits: boolean;
  /** Time limit for the response, ms. */
  withinMs: number;
}

export class Caller {
  readonly #baseUrl: string;
  readonly #apiKey: string;
  readonly #fetch: typeof fetch;
  readonly #maxRetries: number;
  readonly #generatesKeys: boolean;
  readonly #throttle = new Throttle();

  /** @throws {TypeError} `baseUrl` or `apiKey` is missing or malformed */
  constructor({ baseUrl, apiKey, fetch, maxRetries = retriesDefault, idempotencyKeys = true }: PerchOptions) {
    if (baseUrl === undefined || !/^https?:\/\//i.test(baseUrl)) {
      throw new TypeError(`baseUrl must be the URL of the service, such as http://127.0.0.1:8080, not ${JSON.stringify(baseUrl)}`);
    }
    if (apiKey === undefined || !/^[\x21-\x7e]+$/.test(apiKey)) throw new TypeError('apiKey must be an API key, such as pk_...');
    this.#baseUrl = baseUrl.replace(/\/+$/, '');
    this.#apiKey = apiKey;
    this.#fetch = fetch ?? ((...args) => globalThis.fetch(...args));
    this.#maxRetries = maxRetries;
    this.#generatesKeys = idempotencyKeys && maxRetries > 0;
  }

  /** @throws {PerchError} the service reported a failure, or there was no usable response @throws the signal's reason if it is aborted */
  async json<T>(call: Call, options: CallOptions = {}): Promise<T> {
    return this.#withRetries(call, options, async (response) => {
      const body = await parsed(response);
      if (!response.ok || (body as { ok?: unknown } | null)?.ok === false) throw failed(response, body);
      if (typeof body !== 'object' || body === null) throw errorOf(response.status, body);
      return body as T;
    });
  }

  /** Throws for a status other than 2xx. @param options its signal also aborts the body */
  async open(call: Call, options: CallOptions): Promise<Response> {
    return this.#withRetries(call, options, async (response) => {
      if (!response.ok) throw failed(response, await parsed(response));
      return response;
    });
  }

  async #withRetries<T>(call: Call, options: CallOptions, read: (response: Response) => Promise<T>): Promise<T> {
    // Not for waits: with a key, a question stays up for a while after its caller disconnects.
    const idempotencyKey = options.idempotencyKey ?? (this.#generatesKeys && !call.reads && !call.waits ? newKey() : undefined);
    const repeatable = { reads: call.reads, keyed: idempotencyKey !== undefined, waits: call.waits };
    for (let tries = 1; ; tries++) {
      try {
        return await this.#once(call, { ...options, idempotencyKey }, read);
      } catch (error) {
        if (!(error instanceof PerchError) || tries > this.#maxRetries) throw error;
        const waitMs = retryInMs(error, repeatable, tries);
        if (waitMs === null) throw error;
        await sleep(waitMs, options.signal);
      }
    }
  }

  async #once<T>(call: Call, { signal, idempotencyKey }: CallOptions, read: (response: Response) => Promise<T>): Promise<T> {
    await this.#throttle.acquire(call.cost, signal);
    let headers: Headers | undefined;
    const sentAt = performance.now();
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), call.withinMs);
    try {
      const response = await this.#fetch(this.#baseUrl + call.path, {
        method: call.method,
        headers: {
          authorization: `Bearer ${this.#apiKey}`,
          ...(call.body === undefined || call.body instanceof Uint8Array ? {} : { 'content-type': 'application/json' }),
          ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
          ...call.headers,
        },
        ...(call.body === undefined ? {} : { body: call.body instanceof Uint8Array ? call.body : JSON.stringify(call.body) }),
        signal: signal === undefined ? timeout.signal : AbortSignal.any([signal, timeout.signal]),
      });
      headers = response.headers;
      return await read(response);
    } catch (error) {
      signal?.throwIfAborted();
      throw error instanceof PerchError ? error : noAnswer(error, timeout.signal.aborted ? call.withinMs : null);
    } finally {
      clearTimeout(timer);
      this.#throttle.release(call.cost, headers, performance.now() - sentAt);
    }
  }
}

/** Does without `crypto.randomUUID`, which pages have only over https. */
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

/** @param afterMs the exceeded time limit, or null */
function noAnswer(cause: unknown, afterMs: number | null): PerchError {
  if (afterMs !== null) return new PerchError('no_answer', `The service did not answer within ${afterMs / 1000} s.`, { status: 0, cause });
  const { code, message } = ((cause as Error).cause ?? cause) as { code?: unknown; message?: unknown };
  const why = typeof message === 'string' && message !== '' ? message : String(code);
  if (noConnection.has(code)) return new PerchError('unreachable', `The service cannot be reached (${why}).`, { status: 0, cause });
  return new PerchError('no_answer', `The service did not answer (${why}).`, { status: 0, cause });
}

/** Node's codes for a connection that could not be established. */
const noConnection: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);
