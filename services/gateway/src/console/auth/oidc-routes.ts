/** /console/oidc: to the provider and back. A browser goes there, not a script: what goes wrong is told on the page to sign in at. */
import type { Logger } from '@perch/runtime';
import { ApiError, ConsoleError, type SignInProblem } from '@perch/schema';
import type { Identity, Store } from '@perch/store';
import { AuthorizationResponseError } from 'openid-client';
import type { AuditLog } from '../audit.js';
import type { BaseUrl } from '../../discovery/discovery.js';
import type { Exchange } from '../../http/exchange.js';
import type { Cookies } from './cookies.js';
import type { Entrance, SignUp } from './session-issuer.js';
import type { Guesses } from './sign-in-rate-limiter.js';
import { oidcSignInMs, type Oidc, type Person } from './oidc.js';
import type { Asked, Route } from '../route.js';

export interface OidcRoutesOptions {
  store: Pick<Store, 'accounts'>;
  oidc: Oidc;
  entrance: Entrance;
  guesses: Guesses;
  cookies: Cookies;
  baseUrl: BaseUrl;
  signUp: SignUp;
  audits: AuditLog;
  log: Logger;
}

export function oidcRoutes({ store, oidc, entrance, guesses, cookies, baseUrl, signUp, audits, log }: OidcRoutesOptions): Route[] {
  const label = 'console_oidc';

  async function start({ exchange }: Asked): Promise<string> {
    await guesses.stranger('oidc', exchange);
    const { url, secret } = await oidc.begin(`${baseUrl(exchange.request)}/console/oidc/callback`);
    cookies.set(exchange, 'oidc', secret, oidcSignInMs / 1000);
    return url.href;
  }

  async function callback({ exchange, query }: Asked): Promise<string> {
    const secret = cookies.read(exchange.request, 'oidc');
    cookies.remove(exchange, 'oidc');
    const person = secret === null ? null : await oidc.finish(secret, query);
    if (person === null) return refused(exchange, 'oidc_expired');
    const account = await accountOf(exchange, person);
    if (typeof account !== 'string') return refused(exchange, account.problem);
    await entrance.begin(exchange, account);
    audits.record('oidc_sign_in', 'ok', exchange, { account });
    return '/';
  }

  /** The person's account, made where there is none and strangers may make one. One with the same address is another's: it is never taken over. */
  async function accountOf(exchange: Exchange, { identity, email: emailOf }: Person): Promise<string | { problem: SignInProblem }> {
    const found = await store.accounts.findByIdentity(identity, null);
    if (found !== null) return found.id;
    const email = await emailOf();
    if (email === null) return { problem: 'oidc_no_email' };
    if ((await store.accounts.findByEmail(email)) !== null) return ownOf(identity, email);
    if (signUp !== 'open') return { problem: 'sign_up_closed' };
    try {
      const { account } = await store.accounts.create({ email, identity });
      audits.record('sign_up', 'ok', exchange, { account });
      return account;
    } catch (error) {
      if (error instanceof ApiError && error.field === 'email') return ownOf(identity, email);
      throw error;
    }
  }

  /** The account with this address, where it is the person's: another tab of theirs made it just now, or its making was cut off. */
  async function ownOf(identity: Identity, email: string): Promise<string | { problem: SignInProblem }> {
    return (await store.accounts.findByIdentity(identity, email))?.id ?? { problem: 'oidc_email_taken' };
  }

  /** Leaves the audit line of a refused sign-in. Returns where the browser is led. */
  function refused(exchange: Exchange, problem: SignInProblem): string {
    audits.record('oidc_sign_in', problem, exchange, {});
    return signInPage(problem);
  }

  /** @param where answers where the browser goes next */
  function leading(where: (asked: Asked) => Promise<string>): (asked: Asked) => Promise<null> {
    return async (asked) => {
      const { exchange } = asked;
      // The provider takes as long as it takes.
      exchange.time.ignore();
      const location = await where(asked).catch((error: unknown) => {
        // Its message alone: what else it carries may be the provider's answer.
        if (error instanceof Error)
          log.warn({ request_id: exchange.requestId, problem: `${error.name}: ${error.message}` }, 'a sign-in with the provider failed');
        return refused(exchange, problemOf(error));
      });
      redirect(exchange, location);
      return null;
    };
  }

  return [
    { for: 'anyone', method: 'GET', path: 'oidc/start', label, handle: leading(start) },
    { for: 'anyone', method: 'GET', path: 'oidc/callback', label, fromElsewhere: true, handle: leading(callback) },
  ];
}

function problemOf(error: unknown): SignInProblem {
  if (error instanceof ConsoleError && error.code === 'too_many_attempts') return 'too_many_attempts';
  if (error instanceof AuthorizationResponseError) return error.error === 'access_denied' ? 'oidc_cancelled' : 'oidc_failed';
  return 'oidc_failed';
}

/** In the fragment, and a word of a closed list: nobody can make the page say what they like. */
function signInPage(problem: SignInProblem): string {
  return `/sign-in#error=${problem}`;
}

function redirect(exchange: Exchange, location: string): void {
  exchange.setHeader('location', location);
  exchange.answer(303, '', 'text/plain; charset=utf-8');
}
