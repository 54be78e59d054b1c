/**
 * Calls of the page to its own service: JSON both ways, the session's cookie by itself, its CSRF token with all that changes something.
 * Every failure is a CallError. A call that another tab's sign-in made stale is made once more with the new token, if the account is the same.
 * The cookie is every tab's: an answer for another account than the page's is not taken, and counts as signed out.
 */
import type { ConsoleSession } from '@perch/schema';
import { CallError, failureOf } from './call-error.js';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface CallOptions {
  body?: object;
  signal?: AbortSignal;
  headers?: Record<string, string>;
  /** Left out: 30 s. Questions to a person take longer. */
  timeoutMs?: number;
}

const timeoutMsDefault = 30_000;

export class Caller {
  readonly #fetch: typeof fetch;
  #session: ConsoleSession | null = null;
  /** Whose the page is: who was signed in last, also when the session ended since. */
  #account: string | null = null;
  #onSignedOut: () => void = () => {};
  #onOtherAccount: () => void = () => {};

  constructor(fetchWith: typeof fetch = (...args) => fetch(...args)) {
    this.#fetch = fetchWith;
  }

  /** @param then called when the page's session ended, or another account's took its place in this browser */
  onSignedOut(then: () => void): void {
    this.#onSignedOut = then;
  }

  /** @param then called when the page becomes another account's: what was read before is not theirs */
  onOtherAccount(then: () => void): void {
    this.#onOtherAccount = then;
  }

  /** From now on calls are this session's. */
  use(session: ConsoleSession): void {
    this.#session = session;
    if (!session.signed_in) return;
    const before = this.#account;
    this.#account = session.account.id;
    if (before !== null && before !== session.account.id) this.#onOtherAccount();
  }

  /** The session of this browser as it is now, which calls are made in from now on. @throws {CallError} */
  async session(signal?: AbortSignal): Promise<ConsoleSession> {
    const session = await this.#askSession(signal);
    this.use(session);
    return session;
  }

  /** @throws {CallError} */
  get<T>(path: string, options: CallOptions = {}): Promise<T> {
    return this.call<T>('GET', path, options);
  }

  /** @throws {CallError} */
  post<T>(path: string, body: object = {}, options: CallOptions = {}): Promise<T> {
    return this.call<T>('POST', path, { ...options, body });
  }

  /** @throws {CallError} */
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

  /** The raw answer, for what is no JSON: the stream and pictures. Takes no note of its status. @throws {CallError} signed_out, where it is another account's */
  async raw(path: string, init: RequestInit = {}): Promise<Response> {
    const response = await this.#fetch(path, { credentials: 'same-origin', cache: 'no-store', ...init });
    const whose = response.headers.get('Perch-Account');
    if (whose === null || this.#account === null || whose === this.#account) return response;
    void response.body?.cancel().catch(() => {});
    this.#onSignedOut();
    throw new CallError('signed_out', 'Somebody else has signed in in this browser meanwhile.', { status: response.status });
  }

  async #once<T>(method: Method, path: string, { body, signal, headers, timeoutMs = timeoutMsDefault }: CallOptions): Promise<T> {
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
        signal: signal === undefined ? late : AbortSignal.any([signal, late]),
      });
      const text = await response.text();
      if (!response.ok) throw failureOf(response.status, text, response.headers.get('Retry-After'));
      return read(text, response.status) as T;
    } catch (error) {
      if (error instanceof CallError || signal?.aborted === true) throw error;
      if (late.aborted) throw new CallError('timed_out', 'The service took too long to answer. Try again in a moment.', { cause: error });
      throw new CallError('unreachable', 'The service cannot be reached. Check your connection; what you typed is still here, so try again.', {
        cause: error,
      });
    }
  }

  #askSession(signal?: AbortSignal): Promise<ConsoleSession> {
    return this.get<ConsoleSession>('/console/session', signal === undefined ? {} : { signal });
  }

  /** Whether the same account has another token now. */
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
    throw new CallError('unreadable', 'Something between this page and the service changed its answer. Reload the page and try again.', {
      status,
      cause,
    });
  }
}
