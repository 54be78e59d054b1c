/** The browser navigates to these routes, so errors are shown on the sign-in page. */
import { type Logger, Lazy } from '@perch/runtime';
import { ApiError, ConsoleError, type SignInProblem, isEmailAddress } from '@perch/schema';
import type { Account, Identity, Store } from '@perch/store';
import * as client from 'openid-client';
import { AuthorizationResponseError } from 'openid-client';
import type { AuditLog } from '../audit.js';
import type { BaseUrl } from '../../discovery/discovery.js';
import type { Exchange } from '../../http/exchange.js';
import type { Cookies } from './cookies.js';
import type { SessionIssuer, SignUp } from './session-issuer.js';
import type { SignInRateLimiter } from './sign-in-rate-limiter.js';
import type { ConsoleRequest, ConsoleRoute } from '../route.js';

export interface OidcRoutesOptions {
  store: Pick<Store, 'accounts'>;
  oidc: Oidc;
  sessionIssuer: SessionIssuer;
  signInLimiter: SignInRateLimiter;
  cookies: Cookies;
  baseUrl: BaseUrl;
  signUp: SignUp;
  audits: AuditLog;
  log: Logger;
}

export function oidcRoutes({ store, oidc, sessionIssuer, signInLimiter, cookies, baseUrl, signUp, audits, log }: OidcRoutesOptions): ConsoleRoute[] {
  const label = 'console_oidc';

  async function start({ exchange }: ConsoleRequest): Promise<string> {
    await signInLimiter.countAnonymous('oidc', exchange);
    const { url, secret } = await oidc.begin(`${baseUrl(exchange.request)}/console/oidc/callback`);
    cookies.set(exchange, 'oidc', secret, oidcSignInMs / 1000);
    return url.href;
  }

  async function callback({ exchange, query }: ConsoleRequest): Promise<string> {
    const secret = cookies.read(exchange.request, 'oidc');
    cookies.remove(exchange, 'oidc');
    const person = secret === null ? null : await oidc.finish(secret, query);
    if (person === null) return refused(exchange, 'oidc_expired');
    const account = await accountOf(exchange, person);
    if (typeof account !== 'string') return refused(exchange, account.problem);
    await sessionIssuer.issue(exchange, account);
    audits.record('oidc_sign_in', 'ok', exchange, { account });
    return '/';
  }

  /** Finds the account of an identity, or creates it if sign-up is open. Never takes over an existing account that only shares the e-mail address. */
  async function accountOf(exchange: Exchange, { identity, email: emailOf }: Person): Promise<string | { problem: SignInProblem }> {
    const found = await store.accounts.findByIdentity(identity, null);
    if (found !== null) {
      await noteVerified(exchange, found, emailOf);
      return found.id;
    }
    const email = await emailOf();
    if (email === null) return { problem: 'oidc_no_email' };
    if ((await store.accounts.findByEmail(email)) !== null) return ownOf(identity, email);
    if (signUp !== 'open') return { problem: 'sign_up_closed' };
    try {
      const { account } = await store.accounts.create({ email, identity, verified: true });
      audits.record('sign_up', 'ok', exchange, { account });
      return account;
    } catch (error) {
      if (error instanceof ApiError && error.field === 'email') return ownOf(identity, email);
      throw error;
    }
  }

  /** Marks the address of an account from before addresses were verified, if the provider vouches for the same one. The sign-in succeeds without it. */
  async function noteVerified(exchange: Exchange, account: Account, emailOf: Person['email']): Promise<void> {
    if ((await store.accounts.verifiedAt(account.id)) !== null) return;
    try {
      const email = await emailOf();
      if (email !== null && (await store.accounts.findByEmail(email))?.id === account.id) await store.accounts.verify(account.id);
    } catch (error) {
      const problem = error instanceof Error ? `${error.name}: ${error.message}` : '';
      log.warn({ request_id: exchange.requestId, problem }, 'the address that the OpenID Connect provider vouches for could not be read');
    }
  }

  /** Returns the account with this address if it has the same identity: another tab created it concurrently, or an earlier creation was interrupted. */
  async function ownOf(identity: Identity, email: string): Promise<string | { problem: SignInProblem }> {
    return (await store.accounts.findByIdentity(identity, email))?.id ?? { problem: 'oidc_email_taken' };
  }

  function refused(exchange: Exchange, problem: SignInProblem): string {
    audits.record('oidc_sign_in', problem, exchange, {});
    return signInPage(problem);
  }

  function redirecting(target: (request: ConsoleRequest) => Promise<string>): (request: ConsoleRequest) => Promise<null> {
    return async (request) => {
      const { exchange } = request;
      exchange.time.ignore();
      const location = await target(request).catch((error: unknown) => {
        // Log only the message: other properties may hold the provider's response.
        if (error instanceof Error)
          log.warn({ request_id: exchange.requestId, problem: `${error.name}: ${error.message}` }, 'sign-in with the OpenID Connect provider failed');
        return refused(exchange, problemOf(error));
      });
      redirect(exchange, location);
      return null;
    };
  }

  return [
    { for: 'anyone', method: 'GET', path: 'oidc/start', cost: 0, label, handle: redirecting(start) },
    { for: 'anyone', method: 'GET', path: 'oidc/callback', cost: 0, label, fromElsewhere: true, handle: redirecting(callback) },
  ];
}

function problemOf(error: unknown): SignInProblem {
  if (error instanceof ConsoleError && error.code === 'too_many_attempts') return 'too_many_attempts';
  if (error instanceof AuthorizationResponseError) return error.error === 'access_denied' ? 'oidc_cancelled' : 'oidc_failed';
  return 'oidc_failed';
}

/** The problem is a code from a closed list, so that a forged URL cannot put text of its own on the page. */
function signInPage(problem: SignInProblem): string {
  return `/sign-in#error=${problem}`;
}

function redirect(exchange: Exchange, location: string): void {
  exchange.setHeader('location', location);
  exchange.answer(303, '', 'text/plain; charset=utf-8');
}

/** Authorization code flow with PKCE, state and nonce, kept in Redis under a secret in the browser's cookie: no other browser can respond. */
export interface OidcSettings {
  issuer: string;
  clientId: string;
  clientSecret: string | null;
}

interface Person {
  identity: Identity;
  /** Returns the verified address, or null if the provider has none. Queries the provider's userinfo endpoint if the ID token has no address. */
  email: () => Promise<string | null>;
}

interface PendingSignIn {
  redirectUri: string;
  verifier: string;
  state: string;
  nonce: string;
}

const timeoutS = 10;
const oidcSignInMs = 600_000;

export class Oidc {
  readonly #settings: OidcSettings;
  readonly #pending: Store['oidcSignIns'];
  readonly #provider = new Lazy(() => this.#discover());

  constructor(settings: OidcSettings, pending: Store['oidcSignIns']) {
    this.#settings = settings;
    this.#pending = pending;
  }

  /** @returns URL to redirect the browser to, and the secret for its cookie @throws if the provider cannot be reached */
  async begin(redirectUri: string): Promise<{ url: URL; secret: string }> {
    const provider = await this.#provider.get();
    const began: PendingSignIn = {
      redirectUri,
      verifier: client.randomPKCECodeVerifier(),
      state: client.randomState(),
      nonce: client.randomNonce(),
    };
    const url = client.buildAuthorizationUrl(provider, {
      redirect_uri: redirectUri,
      scope: 'openid email',
      code_challenge: await client.calculatePKCECodeChallenge(began.verifier),
      code_challenge_method: 'S256',
      state: began.state,
      nonce: began.nonce,
    });
    return { url, secret: await this.#pending.make(JSON.stringify(began), oidcSignInMs) };
  }

  /** Works once. @returns null if this browser has no pending sign-in, or it expired @throws if the provider refused, or its response is not valid */
  async finish(secret: string, query: URLSearchParams): Promise<Person | null> {
    const kept = await this.#pending.take(secret);
    if (kept === null) return null;
    const { redirectUri, verifier, state, nonce } = JSON.parse(kept) as PendingSignIn;
    const provider = await this.#provider.get();
    const answered = new URL(redirectUri);
    answered.search = query.toString();
    const tokens = await client.authorizationCodeGrant(provider, answered, {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
    });
    const claims = tokens.claims();
    // All users with an empty subject would share one account.
    if (claims === undefined || claims.sub === '') throw new Error('the provider sent no ID token, or one without a subject');
    return {
      identity: { issuer: claims.iss, subject: claims.sub },
      async email() {
        if (claims['email'] !== undefined) return verifiedEmail(claims);
        // Providers that keep ID tokens small return the claims of a scope from the userinfo endpoint, if they have one.
        if (provider.serverMetadata().userinfo_endpoint === undefined) return null;
        return verifiedEmail(await client.fetchUserInfo(provider, tokens.access_token, claims.sub));
      },
    };
  }

  #discover(): Promise<client.Configuration> {
    const { issuer, clientId, clientSecret } = this.#settings;
    const options = { timeout: timeoutS, ...(issuer.startsWith('http:') ? { execute: [client.allowInsecureRequests] } : {}) };
    return client.discovery(new URL(issuer), clientId, undefined, authentication(clientSecret), options);
  }
}

function verifiedEmail({ email, email_verified: verified }: Readonly<Record<string, unknown>>): string | null {
  return typeof email === 'string' && verified === true && isEmailAddress(email) ? email : null;
}

/** Returns client_secret_basic, the default of OpenID Connect Registration (section 2), or client_secret_post if the provider does not support it. */
function authentication(secret: string | null): client.ClientAuth {
  if (secret === null) return client.None();
  const [basic, post] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)];
  return (server, ...rest) =>
    ((server.token_endpoint_auth_methods_supported?.includes('client_secret_basic') ?? true) ? basic : post)(server, ...rest);
}
