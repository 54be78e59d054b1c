/**
 * Sends requests with the session cookie, and with the CSRF token if they change something. Each failure is a CallError. If a sign-in in another tab
 * made the token stale, the request is retried once with the new token, provided the account is the same: a response for another account counts as
 * signed out.
 */
import type { ConsoleSession } from '@perch/schema';
import { CallError, failureOf } from './call-error.js';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface CallOptions {
  body?: object;
  signal?: AbortSignal;
  headers?: Record<string, string>;
  /** The request goes on when the page is left. */
  keepalive?: boolean;
  /** Default: 30 s. Questions to a person take longer. */
  timeoutMs?: number;
}

const timeoutMsDefault = 30_000;

export class Caller {
  readonly #fetch: typeof fetch;
  #session: ConsoleSession | null = null;
  /** Account that the responses so far named, also after its session ended. */
  #account: string | null = null;
  #onSignedOut: () => void = () => {};
  #onOtherAccount: () => void = () => {};

  constructor(fetchWith: typeof fetch = (...args) => fetch(...args)) {
    this.#fetch = fetchWith;
  }

  /** @param then called also when another account signed in in this browser */
  onSignedOut(then: () => void): void {
    this.#onSignedOut = then;
  }

  /** @param then discards cached data of the previous account */
  onOtherAccount(then: () => void): void {
    this.#onOtherAccount = then;
  }

  use(session: ConsoleSession): void {
    this.#session = session;
    if (!session.signed_in) return;
    const before = this.#account;
    this.#account = session.account.id;
    if (before !== null && before !== session.account.id) this.#onOtherAccount();
  }

  /** @throws {CallError} */
  async session(signal?: AbortSignal): Promise<ConsoleSession> {
    const session = await this.#askSession(signal);
    this.use(session);
    return session;
  }

  get<T>(path: string, options: CallOptions = {}): Promise<T> {
    return this.call<T>('GET', path, options);
  }

  post<T>(path: string, body: object = {}, options: CallOptions = {}): Promise<T> {
    return this.call<T>('POST', path, { ...options, body });
  }

  async call<T>(method: Method, path: string, options: CallOptions = {}): Promise<T> {
    try {
      return await this.#once<T>(method, path, options);
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      if (error.code === 'signed_out' && error.status === 401 && this.#session?.signed_in === true) this.#onSignedOut();
      if (error.code !== 'forbidden' || method === 'GET' || !(await this.#renewed())) throw error;
      return await this.#once<T>(method, path, options);
    }
  }

  /** Returns any status, for the stream and pictures. @throws {CallError} signed_out, if the response is for another account */
  async raw(path: string, init: RequestInit = {}): Promise<Response> {
    const response = await this.#fetch(path, { credentials: 'same-origin', cache: 'no-store', ...init });
    const account = response.headers.get('Perch-Account');
    // Data may be requested before the session is loaded: `use` then compares its account with the session's.
    this.#account ??= account;
    if (account === null || account === this.#account) return response;
    void response.body?.cancel().catch(() => {});
    this.#onSignedOut();
    throw new CallError('signed_out', 'Another account has signed in in this browser.', { status: response.status });
  }

  async #once<T>(method: Method, path: string, { body, signal, headers, keepalive = false, timeoutMs = timeoutMsDefault }: CallOptions): Promise<T> {
    const late = AbortSignal.timeout(timeoutMs);
    try {
      const response = await this.raw(path, {
        method,
        headers: {
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...(method === 'GET' || this.#session?.signed_in !== true ? {} : { 'X-CSRF-Token': this.#session.csrf }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        keepalive,
        signal: signal === undefined ? late : AbortSignal.any([signal, late]),
      });
      const text = await response.text();
      if (!response.ok) throw failureOf(response.status, text, response.headers.get('Retry-After'));
      return read(text, response.status) as T;
    } catch (error) {
      if (error instanceof CallError || signal?.aborted === true) throw error;
      if (late.aborted) throw new CallError('timed_out', 'The service took too long to answer. Try again in a moment.', { cause: error });
      throw new CallError('unreachable', 'The service cannot be reached. Check your connection and try again; your input is kept.', {
        cause: error,
      });
    }
  }

  #askSession(signal?: AbortSignal): Promise<ConsoleSession> {
    return this.get<ConsoleSession>('/console/session', signal === undefined ? {} : { signal });
  }

  async #renewed(): Promise<boolean> {
    const before = this.#session;
    if (before?.signed_in !== true) return false;
    const now = await this.#askSession();
    if (!now.signed_in || now.account.id !== before.account.id) {
      this.#onSignedOut();
      return false;
    }
    this.use(now);
    return now.csrf !== before.csrf;
  }
}

function read(text: string, status: number): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new CallError('unreadable', 'The response of the service was changed on its way. Reload the page and try again.', {
      status,
      cause,
    });
  }
}
