/**
 * Simulated browser: stores cookies, sends Sec-Fetch-Site and the CSRF token it last received. Each has a client address of its own, so that tests share
 * no rate limits at a gateway that trusts a proxy.
 */
import assert from 'node:assert/strict';
import { randomInt, randomUUID } from 'node:crypto';
import type { GatewayUnderTest, Answer } from '../gateway-under-test.js';

export class Browser {
  readonly #system: Pick<GatewayUnderTest, 'ask'>;
  readonly cookies = new Map<string, string>();
  csrf = '';
  headers: Record<string, string>;

  constructor(system: Pick<GatewayUnderTest, 'ask'>, headers: Record<string, string> = {}) {
    this.#system = system;
    this.headers = { 'sec-fetch-site': 'same-origin', ...somewhere(), ...headers };
  }

  get cookie(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  /** @param path relative to /console/ */
  async ask(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const answer = await this.#system.ask(method, `/console/${path}`, {
      body,
      headers: {
        ...this.headers,
        ...(this.cookies.size === 0 ? {} : { cookie: this.cookie }),
        ...(this.csrf === '' ? {} : { 'x-csrf-token': this.csrf }),
        ...headers,
      },
    });
    this.keep(answer.headers);
    if (typeof answer.body?.csrf === 'string') this.csrf = answer.body.csrf;
    return answer;
  }

  keep(headers: Headers): void {
    for (const line of headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/Max-Age=0\b/.test(line)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
  }

  async signUp(email: string, password = passphrase): Promise<Answer> {
    const answer = await this.ask('POST', 'accounts', { email, password });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer;
  }

  signIn(email: string, password = passphrase, headers: Record<string, string> = {}): Promise<Answer> {
    return this.ask('POST', 'session', { email, password }, headers);
  }

  async signedIn(): Promise<boolean> {
    return (await this.ask('GET', 'session')).body.signed_in;
  }
}

export const passphrase = 'correct horse battery';
export const email = () => `ann.${randomUUID()}@example.org`;
export const failed = ({ status, body }: Answer): unknown[] => [status, body.code, body.field ?? null];
/** Returns a random client address, so that tests do not share rate limits. */
export const somewhere = () => ({ 'x-forwarded-for': `10.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}` });
