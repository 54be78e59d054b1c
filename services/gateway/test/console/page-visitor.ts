/** Somebody at the page, as the gateway sees them: a session's cookie, its token with all that changes something, and the live stream. */
import { csrfToken } from '../../src/console/auth/csrf.js';
import { EventStreamClient } from '@perch/testkit';
import type { Answer, Bench } from '../bench.js';

export class PageVisitor {
  readonly bench: Bench;
  readonly account: string;
  readonly keyHash: string;
  readonly #secret: string;

  private constructor(bench: Bench, account: string, { secret, keyHash }: { secret: string; keyHash: string }) {
    this.bench = bench;
    this.account = account;
    this.keyHash = keyHash;
    this.#secret = secret;
  }

  static async signIn(bench: Bench, account: string): Promise<PageVisitor> {
    return new PageVisitor(bench, account, await bench.store.sessions.begin(account));
  }

  get headers(): Record<string, string> {
    return { cookie: `perch_session=${this.#secret}`, 'x-csrf-token': csrfToken(this.#secret) };
  }

  ask(method: string, path: string, body?: unknown): Promise<Answer> {
    return this.bench.ask(method, `/console/${path}`, { headers: this.headers, ...(body === undefined ? {} : { body }) });
  }

  live(query = '', headers: Record<string, string> = {}): Promise<EventStreamClient> {
    return EventStreamClient.open(`${this.bench.base}/console/live${query}`, { headers: { ...this.headers, ...headers } });
  }
}
