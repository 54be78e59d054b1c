import {
  ConsoleError,
  isObject,
  validatePasskeySignIn,
  type ConsoleSession,
  ApiError,
  type EndSessionsAnswer,
  type SessionsAnswer,
} from '@perch/schema';
import { inDoubt, type Store } from '@perch/store';
import type { Exchange } from '../../http/exchange.js';
import type { SessionIssuer } from './session-issuer.js';
import { Form, type ConsoleRequest, type ConsoleRoute, type SessionRequest, type SessionRoute } from '../route.js';
import type { SignInRateLimiter } from './sign-in-rate-limiter.js';
import type { PasskeySignIn } from '../passkeys/passkey-routes.js';
import { deviceName } from './device-cookie.js';

export interface SessionRoutesOptions {
  store: Pick<Store, 'passwords' | 'signInTokens' | 'accounts'>;
  sessionIssuer: SessionIssuer;
  signInLimiter: SignInRateLimiter;
  passkeySignIn: PasskeySignIn;
}

export function sessionRoutes({ store, sessionIssuer, signInLimiter, passkeySignIn }: SessionRoutesOptions): ConsoleRoute[] {
  const label = 'console_session';

  async function signInWithPassword(exchange: Exchange, email: string, password: string): Promise<ConsoleSession> {
    const found = await signInLimiter.signIn(exchange, email, () => store.passwords.check(email, password));
    if (found === null)
      throw new ConsoleError('wrong_credentials', 'The e-mail address or the password is wrong. Check both and try again.', {
        field: 'password',
      });
    return sessionIssuer.signIn(exchange, found.account, { password: found.hash });
  }

  async function signInWithLink(exchange: Exchange, link: string): Promise<ConsoleSession> {
    const account = await store.signInTokens.take(link);
    if (account === null) throw usedLink();
    return inDoubt(async () => {
      if ((await store.accounts.get(account)) === null) throw usedLink();
      return sessionIssuer.signIn(exchange, account);
    });
  }

  async function signIn({ exchange, body, auditNote }: ConsoleRequest): Promise<ConsoleSession> {
    const sent = await body();
    if (isObject(sent) && sent['passkey'] !== undefined) {
      auditNote.kind = 'passkey_sign_in';
      return passkeySignIn.finish(exchange, validatePasskeySignIn(sent));
    }
    const form = new Form(sent, ['email', 'password', 'link']);
    if (form.has('link')) return signInWithLink(exchange, form.text('link', 'The link is incomplete.'));
    return signInWithPassword(exchange, form.email('email'), form.password('password', 'Enter your password.'));
  }

  return [
    { for: 'anyone', method: 'GET', path: 'session', cost: 0, label, handle: ({ exchange }) => sessionIssuer.describe(exchange) },
    { for: 'anyone', method: 'POST', path: 'session', cost: 0, label, audit: 'sign_in', handle: signIn },
    { for: 'anyone', method: 'POST', path: 'session/options', cost: 0, label, handle: ({ exchange }) => passkeySignIn.begin(exchange) },
    {
      for: 'session',
      method: 'DELETE',
      path: 'session',
      cost: 0,
      label,
      audit: 'sign_out',
      handle: ({ exchange }) => sessionIssuer.signOut(exchange),
    },
  ];
}

function usedLink(): ConsoleError {
  return new ConsoleError(
    'wrong_credentials',
    'This link has been used or has expired: it works once, for an hour. Sign in with your password, or ask for a new link.',
  );
}

export function sessionListRoutes({ sessions }: Pick<Store, 'sessions'>): SessionRoute[] {
  const label = 'console_sessions';

  async function list({ session: { account, keyHash } }: SessionRequest): Promise<SessionsAnswer> {
    const listed = (await sessions.list(account)).map((each) => ({
      id: each.id,
      device: deviceName(each.userAgent),
      created_at: time(each.createdAt),
      last_used: each.lastUsed === null ? null : time(each.lastUsed),
      expires_at: time(each.expiresAt),
      current: each.keyHash === keyHash,
    }));
    return { ok: true, sessions: listed };
  }

  async function end({ session: { account, keyHash }, params }: SessionRequest): Promise<EndSessionsAnswer> {
    const found = (await sessions.list(account)).find(({ id }) => id === params['session']);
    if (found === undefined) throw new ApiError('not_found', 'This account has no such session; it may have ended.');
    if (found.keyHash === keyHash) throw new ConsoleError('conflict', 'This is the session of this browser. Sign out to end it.');
    await sessions.end(account, found.keyHash);
    return { ok: true, ended: 1 };
  }

  async function endOthers({ session: { account, keyHash } }: SessionRequest): Promise<EndSessionsAnswer> {
    return { ok: true, ended: await sessions.endAll(account, keyHash) };
  }

  return [
    { for: 'session', method: 'GET', path: 'sessions', cost: 1, label, handle: list },
    { for: 'session', method: 'DELETE', path: 'sessions', cost: 1, label, audit: 'session_end', handle: endOthers },
    { for: 'session', method: 'DELETE', path: 'sessions/{session}', cost: 1, label, audit: 'session_end', handle: end },
  ];
}

function time(ms: number): string {
  return new Date(ms).toISOString();
}
