import type { Logger } from '@perch/runtime';
import { ConsoleError, type ConsoleSession, type SignedOut } from '@perch/schema';
import { sessionLifeMs, type Store } from '@perch/store';
import type { BaseUrl } from '../../discovery/discovery.js';
import type { Exchange } from '../../http/exchange.js';
import type { Cookies } from './cookies.js';
import { csrfToken } from './csrf.js';
import type { DeviceCookie } from './device-cookie.js';
import type { LinkAddress } from '../robots/link-address.js';
import type { SessionAuth } from './session-auth.js';

export type SignUp = 'open' | 'invitation' | 'closed';

export interface SessionIssuerOptions {
  store: Pick<Store, 'accounts' | 'passwords' | 'sessions'>;
  sessionAuth: SessionAuth;
  cookies: Cookies;
  devices: DeviceCookie;
  links: LinkAddress;
  baseUrl: BaseUrl;
  signUp: SignUp;
  oidcName: string | null;
  /** Whether e-mail is sent. */
  mail: boolean;
  log: Logger;
}

export class SessionIssuer {
  readonly #options: SessionIssuerOptions;

  constructor(options: SessionIssuerOptions) {
    this.#options = options;
  }

  async describe(exchange: Exchange): Promise<ConsoleSession> {
    const session = await this.#options.sessionAuth.find(exchange);
    return session === null ? this.#signedOut() : this.#describe(exchange, session.account, session.secret);
  }

  /** @param password verified hash, checked again: a change meanwhile could not revoke this session @throws {ConsoleError} wrong_credentials */
  async signIn(exchange: Exchange, account: string, password?: string): Promise<ConsoleSession> {
    return this.#describe(exchange, account, await this.issue(exchange, account, password));
  }

  /** As `signIn`. @returns secret of the session */
  async issue(exchange: Exchange, account: string, password?: string): Promise<string> {
    const { store, sessionAuth, cookies, devices, log } = this.#options;
    const before = await sessionAuth.find(exchange);
    const { secret, keyHash } = await store.sessions.begin(account, exchange.request.headers['user-agent']);
    if (password !== undefined && (await store.passwords.of(account)) !== password) {
      await store.sessions.end(account, keyHash);
      throw new ConsoleError('wrong_credentials', 'The password was changed just now. Sign in with the new one.', { field: 'password' });
    }
    if (before !== null) await store.sessions.end(before.account, before.keyHash);
    cookies.set(exchange, 'session', secret, sessionLifeMs / 1000);
    // The sign-in succeeds without it.
    await devices
      .remember(exchange, account)
      .catch((err: unknown) => log.warn({ account, err }, 'the device cookie of a sign-in could not be stored'));
    return secret;
  }

  async signOut(exchange: Exchange): Promise<ConsoleSession> {
    const { store, sessionAuth, cookies } = this.#options;
    const session = await sessionAuth.find(exchange);
    if (session !== null) await store.sessions.end(session.account, session.keyHash);
    cookies.remove(exchange, 'session');
    return this.#signedOut();
  }

  async #describe(exchange: Exchange, account: string, secret: string): Promise<ConsoleSession> {
    const { store, links, baseUrl } = this.#options;
    const [found, verifiedAt, password, link] = await Promise.all([
      store.accounts.get(account),
      store.accounts.verifiedAt(account),
      store.passwords.of(account),
      links.for(exchange.request),
    ]);
    if (found === null) return this.#signedOut();
    return {
      ...this.#signedOut(),
      signed_in: true,
      account: { id: account, email: found.email, email_verified: verifiedAt !== null, has_password: password !== null },
      csrf: csrfToken(secret),
      base_url: baseUrl(exchange.request),
      link_url: link ?? '',
    };
  }

  #signedOut(): SignedOut {
    const { signUp, oidcName, mail } = this.#options;
    return { ok: true, signed_in: false, sign_up: signUp, oidc: oidcName === null ? null : { name: oidcName }, mail };
  }
}
