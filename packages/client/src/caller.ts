/** Sends calls over HTTP: throttles them to the key's rate limit, retries where safe, and returns JSON or throws a `PerchError`. */
import { errorOf, PerchError } from './error.js';
import type { CallOptions, CallReport, Fetch, FetchInit, FetchResponse, PerchOptions, QuestionOptions } from './options.js';
import { FailedTries, mayBeOpen } from './retry.js';
import { sleep } from './sleep.js';
import { Throttle } from './throttle.js';
import { version } from './version.js';

const retriesDefault = 3;
/** Time limit of a call, ms, in addition to what a person or an event may take. */
export const answerWithinMs = 30_000;
/** The service stores the outcome of a call with a key for 10 minutes; after that the call would be executed again. */
const persistsMs = 600_000;
/** Time limit of the removal of a question, ms. */
const removeWithinMs = 5_000;
/** The largest response is a state with its events, about 100 KB. */
const answerBytesMax = 16 * 1024 * 1024;
/** Set by the client itself for each call. */
const ownHeaders = new Set(['authorization', 'content-type', 'accept', 'idempotency-key', 'last-event-id']);

export interface Call {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  /** An object is sent as JSON, bytes as they are; `headers` must then have their content type. If unset, there is no body. */
  body?: object;
  headers?: Record<string, string>;
  /** Actions it counts for in the key's rate limit. */
  cost: number;
  reads: boolean;
  /** The request stays open until a person taps. */
  waits: boolean;
  /** Time in addition to the time limit of a call, ms. */
  moreMs?: number;
  /** Fields that the response has; one without them is not from a Perch service. */
  promises?: Readonly<Record<string, 'array' | 'number' | 'string'>>;
  /** Path at which a question with an Idempotency-Key is removed. */
  removal?: string;
}

/** A request with its arguments as they were when the call was made. */
interface Request {
  call: Call;
  body: string | ArrayBuffer | undefined;
  idempotencyKey: string | undefined;
  signal: AbortSignal | undefined;
  /** A question that is asked again for as long as the service keeps it open. */
  persists: boolean;
  /** The service may have it, and has not answered. */
  sent: boolean;
  /** `performance.now()` at which the call has taken too long. */
  until: number;
  withinMs: number;
}

export class Caller {
  readonly #baseUrl: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #fetch: Fetch;
  readonly #fetchOptions: object;
  readonly #maxRetries: number;
  readonly #generatesKeys: boolean;
  readonly #timeoutMs: number;
  readonly #onResponse: PerchOptions['onResponse'];
  readonly #throttle = new Throttle();

  /** @throws {TypeError} an option is missing or malformed; the message does not quote it, since it may be a secret */
  constructor(options: PerchOptions) {
    const { apiKey, fetch, maxRetries = retriesDefault, idempotencyKeys = true, timeoutMs = answerWithinMs } = options;
    this.#baseUrl = checkedBaseUrl(options.baseUrl);
    if (apiKey === undefined || !/^[\x21-\x7e]+$/.test(apiKey)) throw new TypeError('apiKey must be an API key, such as pk_...');
    this.#headers = { ...checkedHeaders(options.headers), authorization: `Bearer ${apiKey}` };
    this.#fetch = fetch ?? ((url, init) => globalThis.fetch(url, init));
    this.#fetchOptions = { ...options.fetchOptions };
    this.#maxRetries = maxRetries;
    this.#generatesKeys = idempotencyKeys && maxRetries > 0;
    this.#timeoutMs = timeoutMs;
    this.#onResponse = options.onResponse;
  }

  /** @throws {PerchError} the service reported a failure, or there was no usable response @throws the signal's reason if it is aborted */
  json<T>(call: Call, options: QuestionOptions = {}): Promise<T> {
    return this.#withRetries(call, options, async (response) => {
      const body = await parsed(response);
      if (!response.ok || !isPromised(body, call.promises)) throw failed(response, body);
      return body as T;
    });
  }

  /** Throws for a status other than 2xx. @param options its signal also aborts the body */
  open(call: Call, options: CallOptions): Promise<FetchResponse> {
    return this.#withRetries(call, options, async (response) => {
      if (!response.ok) throw failed(response, await parsed(response));
      return response;
    });
  }

  async #withRetries<T>(call: Call, options: QuestionOptions, read: (response: FetchResponse) => Promise<T>): Promise<T> {
    const request = this.#requestOf(call, options);
    const { persists, signal, until } = request;
    const failed = new FailedTries({ reads: call.reads, keyed: request.idempotencyKey !== undefined, waits: call.waits, persists }, this.#maxRetries);
    try {
      for (;;) {
        const { sent } = request;
        const sentAt = performance.now();
        try {
          return await this.#once(request, read);
        } catch (error) {
          if (!(error instanceof PerchError)) throw error;
          if (error.code === 'unreachable') request.sent = sent;
          else if (!mayBeOpen(error)) request.sent = false;
          const now = performance.now();
          const waitMs = failed.retryInMs(error, sentAt, now);
          if (waitMs === null || now + waitMs >= until) throw error;
          await sleep(waitMs, signal);
        }
      }
    } catch (error) {
      if (persists && request.sent) this.#remove(request);
      throw error;
    }
  }

  /** Removes the question of a call that was given up: while it has a key, closing its connection does not. */
  #remove({ call: { removal }, idempotencyKey }: Request): void {
    if (removal === undefined) return;
    const call = { method: 'DELETE', path: removal, cost: 1, reads: true, waits: false } as const;
    // If it fails, the service removes the question 15 s after the break.
    this.json(call, { idempotencyKey, timeoutMs: removeWithinMs }).catch(() => {});
  }

  /** @throws {TypeError} an argument that no request can have, such as a circular object: nothing was sent */
  #requestOf(call: Call, { signal, idempotencyKey, timeoutMs = this.#timeoutMs, retry = false }: QuestionOptions): Request {
    const { body } = call;
    if (idempotencyKey !== undefined && !/^[\x21-\x7e]+$/.test(idempotencyKey))
      throw new TypeError('idempotencyKey must have visible ASCII characters only, and at least one');
    const persists = retry && call.waits;
    const withinMs = Math.min(timeoutMs + (call.moreMs ?? 0), persists ? persistsMs : Infinity);
    return {
      call,
      body: body === undefined ? undefined : body instanceof Uint8Array ? Uint8Array.from(body).buffer : JSON.stringify(body),
      // Not for waits: with a key, a question stays up for a while after its caller disconnects.
      idempotencyKey: idempotencyKey ?? (persists || (this.#generatesKeys && !call.reads && !call.waits) ? newKey() : undefined),
      signal,
      persists,
      sent: false,
      until: performance.now() + withinMs,
      withinMs,
    };
  }

  async #once<T>(request: Request, read: (response: FetchResponse) => Promise<T>): Promise<T> {
    const { call, signal } = request;
    await this.#throttle.acquire(call.cost, signal);
    let response: FetchResponse | undefined;
    const sentAt = performance.now();
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), Math.max(0, request.until - sentAt));
    request.sent = true;
    try {
      response = await this.#fetch(this.#baseUrl + call.path, this.#initOf(request, timeout.signal));
      this.#report(call, response, performance.now() - sentAt);
      return await read(response);
    } catch (error) {
      signal?.throwIfAborted();
      throw error instanceof PerchError ? error : lost(error, timeout.signal.aborted ? request.withinMs : null, response);
    } finally {
      clearTimeout(timer);
      this.#throttle.release(call.cost, response?.headers, performance.now() - sentAt);
    }
  }

  #initOf({ call, body, idempotencyKey, signal }: Request, timeout: AbortSignal): FetchInit {
    return {
      ...this.#fetchOptions,
      method: call.method,
      headers: {
        ...this.#headers,
        ...(typeof body === 'string' && { 'content-type': 'application/json' }),
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
        ...call.headers,
      },
      ...(body !== undefined && { body }),
      // A followed redirect would turn a question into a GET, or send it with its key to another host.
      redirect: 'manual',
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    };
  }

  #report({ method, path }: Call, { status, headers }: FetchResponse, ms: number): void {
    const report: CallReport = { method, path, status, ms, requestId: headers.get('x-request-id') ?? undefined };
    this.#onResponse?.(report);
  }
}

/** @throws {TypeError} without quoting what may be a password */
function checkedBaseUrl(baseUrl: string | undefined): string {
  const refused = (why: string): TypeError => new TypeError(`baseUrl must be the URL of the service, such as http://127.0.0.1:8080; ${why}`);
  let url: URL;
  try {
    url = new URL(baseUrl ?? '');
  } catch {
    throw refused(baseUrl === undefined ? 'it is undefined' : 'this is no URL');
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw refused('this begins with neither http:// nor https://');
  if (url.username !== '' || url.password !== '') throw refused('this has a user or password in it');
  if (url.search !== '' || url.hash !== '' || /[?#]$/.test(baseUrl!)) throw refused('this has a query or fragment, which paths would follow');
  return url.href.replace(/\/+$/, '');
}

/** Names in lower case. @throws {TypeError} without quoting a value */
function checkedHeaders(given: Readonly<Record<string, string>> = {}): Record<string, string> {
  const headers: Record<string, string> = isBrowser() ? {} : { 'user-agent': `perch-client-js/${version}` };
  for (const [name, value] of Object.entries(given)) {
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) || ownHeaders.has(name.toLowerCase()))
      throw new TypeError(`headers: ${JSON.stringify(name)} is no name of a header, or the client sets it`);
    if (!/^[\t\x20-\x7e\xa0-\xff]*$/.test(value)) throw new TypeError(`headers: the value of ${name} has a character in it that no header has`);
    headers[name.toLowerCase()] = value;
  }
  return headers;
}

/** Browsers have a User-Agent of their own; another one would be a header that the service must allow (CORS). */
function isBrowser(): boolean {
  return 'document' in globalThis || 'importScripts' in globalThis;
}

/** Does without `crypto.randomUUID`, which pages have only over https. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function isPromised(body: unknown, promises: Call['promises'] = {}): boolean {
  if (typeof body !== 'object' || body === null || (body as { ok?: unknown }).ok !== true) return false;
  return Object.entries(promises).every(([name, kind]) => {
    const value = (body as Record<string, unknown>)[name];
    return kind === 'array' ? Array.isArray(value) : typeof value === kind;
  });
}

async function parsed(response: FetchResponse): Promise<unknown> {
  const text = await textOf(response);
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

async function textOf(response: FetchResponse): Promise<string> {
  if (Number(response.headers.get('content-length') ?? 0) > answerBytesMax) {
    await response.body?.getReader().cancel();
    throw tooLong(response);
  }
  if (response.body === null || response.body === undefined) return response.text();
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (let bytes = 0; ;) {
    const { done, value } = await reader.read();
    if (done || value === undefined) return text + decoder.decode();
    bytes += value.byteLength;
    if (bytes > answerBytesMax) {
      await reader.cancel();
      throw tooLong(response);
    }
    text += decoder.decode(value, { stream: true });
  }
}

function tooLong(response: FetchResponse): PerchError {
  return new PerchError('bad_answer', 'The response is too long to be from a Perch service.', detailsOf(response));
}

function failed(response: FetchResponse, body: unknown): PerchError {
  const { status, type, headers } = response;
  // Browsers hide the status and the target of a redirect.
  if ((status >= 300 && status < 400) || type === 'opaqueredirect') {
    const sentence = `The response redirects${originOf(headers.get('location'))}, and the client does not follow: set baseUrl to where the service is.`;
    return new PerchError('bad_answer', sentence, detailsOf(response));
  }
  return errorOf(body, detailsOf(response));
}

function detailsOf({ status, headers }: FetchResponse): { status: number; requestId: string | undefined; retryAfterS: number | undefined } {
  return { status, requestId: headers.get('x-request-id') ?? undefined, retryAfterS: secondsOf(headers.get('retry-after')) };
}

/** Returns the seconds of a header `Retry-After`, which is a number or a date (RFC 9110, 10.2.3). */
function secondsOf(retryAfter: string | null): number | undefined {
  if (retryAfter === null) return undefined;
  if (/^\d+$/.test(retryAfter)) return Number(retryAfter);
  // Otherwise `Date.parse` takes a number for a year.
  if (!/^[a-z]{3}/i.test(retryAfter)) return undefined;
  const at = Date.parse(retryAfter);
  return Number.isNaN(at) ? undefined : Math.max(0, (at - Date.now()) / 1000);
}

/** Returns " to" and the origin, without what may be secret in the URL. */
function originOf(location: string | null): string {
  try {
    const { protocol, origin } = new URL(location ?? '');
    return protocol === 'http:' || protocol === 'https:' ? ` to ${origin}` : '';
  } catch {
    return '';
  }
}

/** @param afterMs the exceeded time limit, or null @param response if it broke off */
function lost(cause: unknown, afterMs: number | null, response: FetchResponse | undefined): Error {
  const details = response === undefined ? { status: 0, cause } : { ...detailsOf(response), cause };
  if (afterMs !== null) return new PerchError('no_answer', `The service did not answer within ${afterMs / 1000} s.`, details);
  const { code, message } = ((cause as Error).cause ?? cause) as { code?: unknown; message?: unknown };
  const why = typeof message === 'string' && message !== '' ? message : String(code);
  // https://fetch.spec.whatwg.org/#port-blocking
  if (why === 'bad port') return new TypeError('baseUrl: fetch refuses its port, so that nothing can be sent to it');
  if (noConnection.has(code)) return new PerchError('unreachable', `The service cannot be reached (${why}).`, details);
  return new PerchError('no_answer', `The service did not answer (${why}).`, details);
}

/** Node's codes for a connection that could not be established, or that is no TLS or not with this service. */
const noConnection: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'ERR_SSL_PACKET_LENGTH_TOO_LONG',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);
