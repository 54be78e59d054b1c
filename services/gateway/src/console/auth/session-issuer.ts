import type { Logger } from '@perch/runtime';
import { ConsoleError, type ConsoleSession, type SignedOut } from '@perch/schema';
import { sessionLifeMs, type Store } from '@perch/store';
import type { BaseUrl } from '../../discovery/discovery.js';
import type { Exchange } from '../../http/exchange.js';
import { type Cookies, csrfToken } from './cookies.js';
import type { DeviceCookie } from './device-cookie.js';
import type { LinkAddress } from '../robots/link-address.js';
import type { RelyingParties } from '../passkeys/relying-parties.js';
import type { SessionAuth } from './session-auth.js';

export type SignUp = 'open' | 'invitation' | 'closed';

/** A verified hash of the password, or the id of the passkey. Checked again: a change meanwhile could not revoke this session. */
export type SignInProof = { password: string } | { passkey: string };

/** What the page installs in robots: another URL than the link's for browsers, and the authority of its certificate in PEM. */
export interface InstallSettings {
  url: string | null;
  ca: string | null;
}

export interface SessionIssuerOptions {
  store: Pick<Store, 'accounts' | 'passwords' | 'passkeys' | 'sessions'>;
  sessionAuth: SessionAuth;
  cookies: Cookies;
  devices: DeviceCookie;
  links: LinkAddress;
  install: InstallSettings;
  baseUrl: BaseUrl;
  relyingParties: RelyingParties;
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
    return session === null ? this.#signedOut(exchange) : this.#describe(exchange, session.account, session.secret);
  }

  /** @throws {ConsoleError} wrong_credentials, if the proof no longer holds */
  async signIn(exchange: Exchange, account: string, proof?: SignInProof): Promise<ConsoleSession> {
    return this.#describe(exchange, account, await this.issue(exchange, account, proof));
  }

  /** As `signIn`. @returns secret of the session */
  async issue(exchange: Exchange, account: string, proof?: SignInProof): Promise<string> {
    const { store, sessionAuth, cookies, devices, log } = this.#options;
    const before = await sessionAuth.find(exchange);
    const { secret, keyHash } = await store.sessions.begin(account, exchange.request.headers['user-agent']);
    if (proof !== undefined && !(await this.#holds(account, proof))) {
      await store.sessions.end(account, keyHash);
      if ('passkey' in proof) throw new ConsoleError('wrong_credentials', 'The passkey was removed just now. Sign in another way.');
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
    return this.#signedOut(exchange);
  }

  async #holds(account: string, proof: SignInProof): Promise<boolean> {
    const { passwords, passkeys } = this.#options.store;
    return 'passkey' in proof ? (await passkeys.get(account, proof.passkey)) !== null : (await passwords.of(account)) === proof.password;
  }

  async #describe(exchange: Exchange, account: string, secret: string): Promise<ConsoleSession> {
    const { store, links, install, baseUrl } = this.#options;
    const [found, verifiedAt, password, hasPasskey, link] = await Promise.all([
      store.accounts.get(account),
      store.accounts.verifiedAt(account),
      store.passwords.of(account),
      store.passkeys.has(account),
      links.for(exchange.request),
    ]);
    if (found === null) return this.#signedOut(exchange);
    return {
      ...this.#signedOut(exchange),
      signed_in: true,
      account: {
        id: account,
        email: found.email,
        email_verified: verifiedAt !== null,
        has_password: password !== null,
        has_passkey: hasPasskey,
      },
      csrf: csrfToken(secret),
      base_url: baseUrl(exchange.request),
      link_url: link ?? '',
      install: { url: install.url ?? link ?? '', ca: install.ca ?? '' },
    };
  }

  #signedOut({ request }: Exchange): SignedOut {
    const { signUp, oidcName, mail, relyingParties } = this.#options;
    return {
      ok: true,
      signed_in: false,
      sign_up: signUp,
      oidc: oidcName === null ? null : { name: oidcName },
      mail,
      passkey_host: relyingParties.find(request)?.id ?? null,
    };
  }
}
