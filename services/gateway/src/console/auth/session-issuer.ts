/** The door: who gets a session, and what the page is told of it. */
import type { Logger } from '@perch/runtime';
import { ConsoleError, type ConsoleSession, type SignedOut } from '@perch/schema';
import { sessionLifeMs, type Store } from '@perch/store';
import type { BaseUrl } from '../../discovery/discovery.js';
import type { Exchange } from '../../http/exchange.js';
import type { Cookies } from './cookies.js';
import { csrfToken } from './csrf.js';
import type { DeviceCookie } from './device-cookie.js';
import type { LinkAddress } from '../robots/link-address.js';
import type { Visitors } from './session-auth.js';

export type SignUp = 'open' | 'invitation' | 'closed';

export interface EntranceOptions {
  store: Pick<Store, 'accounts' | 'passwords' | 'sessions'>;
  visitors: Visitors;
  cookies: Cookies;
  devices: DeviceCookie;
  links: LinkAddress;
  baseUrl: BaseUrl;
  signUp: SignUp;
  /** Of the OpenID Connect provider; null where there is none. */
  oidcName: string | null;
  log: Logger;
}

export class Entrance {
  readonly #options: EntranceOptions;

  constructor(options: EntranceOptions) {
    this.#options = options;
  }

  /** What the page is told of the session in this browser's cookie. */
  async tell(exchange: Exchange): Promise<ConsoleSession> {
    const session = await this.#options.visitors.find(exchange);
    return session === null ? this.#signedOut() : this.#tell(exchange, session.account, session.secret);
  }

  /**
   * Begins a session in this browser, in place of the one it has, and tells the page.
   * @param password hash of the one that was right; another one by now may have ended all sessions but this, which it did not know
   * @throws {ConsoleError} wrong_credentials, where there is another by now
   */
  async letIn(exchange: Exchange, account: string, password?: string): Promise<ConsoleSession> {
    return this.#tell(exchange, account, await this.begin(exchange, account, password));
  }

  /** As `letIn`, without a word. @returns the session's secret */
  async begin(exchange: Exchange, account: string, password?: string): Promise<string> {
    const { store, visitors, cookies, devices, log } = this.#options;
    const before = await visitors.find(exchange);
    const { secret, keyHash } = await store.sessions.begin(account);
    if (password !== undefined && (await store.passwords.of(account)) !== password) {
      await store.sessions.end(account, keyHash);
      throw new ConsoleError('wrong_credentials', 'The password was changed just now. Sign in with the new one.', { field: 'password' });
    }
    if (before !== null) await store.sessions.end(before.account, before.keyHash);
    cookies.set(exchange, 'session', secret, sessionLifeMs / 1000);
    // Without it the person is signed in all the same.
    await devices.remember(exchange, account).catch((err: unknown) => log.warn({ account, err }, 'a browser that signed in could not be remembered'));
    return secret;
  }

  /** Ends the session of this browser, if it has one. */
  async letOut(exchange: Exchange): Promise<ConsoleSession> {
    const { store, visitors, cookies } = this.#options;
    const session = await visitors.find(exchange);
    if (session !== null) await store.sessions.end(session.account, session.keyHash);
    cookies.remove(exchange, 'session');
    return this.#signedOut();
  }

  async #tell(exchange: Exchange, account: string, secret: string): Promise<ConsoleSession> {
    const { store, links, baseUrl } = this.#options;
    const [found, password, link] = await Promise.all([store.accounts.get(account), store.passwords.of(account), links.for(exchange.request)]);
    if (found === null) return this.#signedOut();
    return {
      ...this.#signedOut(),
      signed_in: true,
      account: { id: account, email: found.email, has_password: password !== null },
      csrf: csrfToken(secret),
      base_url: baseUrl(exchange.request),
      link_url: link ?? '',
    };
  }

  #signedOut(): SignedOut {
    const { signUp, oidcName } = this.#options;
    return { ok: true, signed_in: false, sign_up: signUp, oidc: oidcName === null ? null : { name: oidcName } };
  }
}
