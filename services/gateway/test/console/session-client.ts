/** Client of a signed-in page: sends the session cookie and CSRF token, and opens the live stream. */
import { csrfToken } from '../../src/console/auth/cookies.js';
import { EventStreamClient } from '@perch/testkit';
import type { GatewayUnderTest, Answer } from '../gateway-under-test.js';

export class SessionClient {
  readonly system: GatewayUnderTest;
  readonly account: string;
  readonly keyHash: string;
  readonly #secret: string;

  private constructor(system: GatewayUnderTest, account: string, { secret, keyHash }: { secret: string; keyHash: string }) {
    this.system = system;
    this.account = account;
    this.keyHash = keyHash;
    this.#secret = secret;
  }

  static async signIn(system: GatewayUnderTest, account: string): Promise<SessionClient> {
    return new SessionClient(system, account, await system.store.sessions.begin(account));
  }

  get headers(): Record<string, string> {
    return { cookie: `perch_session=${this.#secret}`, 'x-csrf-token': csrfToken(this.#secret) };
  }

  ask(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.system.ask(method, `/console/${path}`, { headers: { ...this.headers, ...headers }, ...(body === undefined ? {} : { body }) });
  }

  live(query = '', headers: Record<string, string> = {}): Promise<EventStreamClient> {
    return EventStreamClient.open(`${this.system.base}/console/live${query}`, { headers: { ...this.headers, ...headers } });
  }
}

export const failure = ({ status, body }: { status: number; body: any }): unknown[] => [status, body.ok, body.code, body.field];
