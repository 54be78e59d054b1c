import type { Logger } from '@perch/runtime';
import { ApiError, ConsoleError } from '@perch/schema';
import { inDoubt, isCommonPassword, StoreError, type Store } from '@perch/store';
import type { Exchange } from '../../http/exchange.js';
import type { DeviceCookie } from '../auth/device-cookie.js';
import type { PasswordConfirmation } from '../auth/password-confirmation.js';
import type { SessionIssuer, SignUp } from '../auth/session-issuer.js';
import { Form, invalidField } from '../form.js';
import type { SignInRateLimiter } from '../auth/sign-in-rate-limiter.js';
import type { ConsoleRequest, ConsoleRoute, SessionRequest } from '../route.js';
import type { Session } from '../auth/session-auth.js';

export interface AccountRoutesOptions {
  store: Pick<Store, 'accounts' | 'passwords' | 'sessions' | 'invitations'>;
  sessionIssuer: SessionIssuer;
  signInLimiter: SignInRateLimiter;
  confirmation: PasswordConfirmation;
  devices: DeviceCookie;
  signUp: SignUp;
  log: Logger;
}

export function accountRoutes({ store, sessionIssuer, signInLimiter, confirmation, devices, signUp, log }: AccountRoutesOptions): ConsoleRoute[] {
  /** Consumes the invitation, if one is required, and runs the work. A refused request restores the invitation; one with unknown outcome does not. */
  async function withInvitation<T>(invitation: string | null, work: () => Promise<T>): Promise<T> {
    if (signUp === 'closed') throw new ConsoleError('sign_up_closed', 'Sign-up is closed. Ask the operator of this service for an account.');
    if (signUp === 'open') return work();
    if (invitation === null)
      throw new ConsoleError('sign_up_closed', 'Sign-up requires an invitation. Ask the operator of this service for one.', { field: 'invitation' });
    const lifeMs = await store.invitations.lifeMs(invitation);
    const taken = await store.invitations.take(invitation);
    if (lifeMs === null || taken === null)
      throw new ConsoleError('sign_up_closed', 'Sign-up requires an invitation, and this one has been used or has expired. Ask for a new one.', {
        field: 'invitation',
      });
    try {
      return await work();
    } catch (error) {
      if (error instanceof ApiError || error instanceof ConsoleError)
        await store.invitations
          .giveBack(invitation, taken, lifeMs)
          .catch((err: unknown) => log.warn({ err }, 'the invitation of a refused sign-up could not be restored'));
      throw error;
    }
  }

  async function create(email: string, password: string): Promise<string> {
    const hash = await store.passwords.hash(password);
    try {
      return (await store.accounts.create({ email, password: hash })).account;
    } catch (error) {
      if (error instanceof ApiError && error.field === 'email') throw taken();
      throw error;
    }
  }

  /** @param from hash of the current password @returns false, without a change, if the password was changed meanwhile */
  async function replacePassword(exchange: Exchange, { account, keyHash }: Session, from: string | null, password: string): Promise<boolean> {
    const hash = await store.passwords.hash(password);
    const endOthers = async (): Promise<void> => {
      await Promise.all([store.sessions.endAll(account, keyHash), devices.revokeOthers(exchange, account)]);
    };
    try {
      if (!(await store.passwords.replace(account, from, hash))) return false;
      await inDoubt(endOthers);
      return true;
    } catch (error) {
      // If the change took effect despite the error, sessions that were started with the former password must end.
      if (error instanceof StoreError && (await store.passwords.of(account).catch(() => null)) === hash)
        await endOthers().catch((err: unknown) => log.warn({ account, err }, 'sessions from before a password change could not be revoked'));
      throw error;
    }
  }

  async function changePassword({ exchange, session, body }: SessionRequest): Promise<object> {
    const form = new Form(await body(), ['current', 'password']);
    const password = form.newPassword('password');
    const { email, hash } = await confirmation.require(session, form);
    await requireUncommon(password, email);
    if (!(await replacePassword(exchange, session, hash, password)))
      throw new ConsoleError('conflict', 'The password was changed elsewhere in the meantime. Try again with the new one.', { field: 'current' });
    return inDoubt(() => sessionIssuer.describe(exchange));
  }

  async function signUpWithPassword({ exchange, body }: ConsoleRequest): Promise<object> {
    const form = new Form(await body(), ['email', 'password', 'invitation']);
    const email = form.email('email');
    const password = form.newPassword('password');
    const invitation = form.has('invitation') ? form.text('invitation', 'The invitation is incomplete.') : null;
    await signInLimiter.countAnonymous('signUp', exchange);
    await requireUncommon(password, email);
    const account = await withInvitation(invitation, () => create(email, password));
    return inDoubt(() => sessionIssuer.signIn(exchange, account));
  }

  return [
    { for: 'anyone', method: 'POST', path: 'accounts', cost: 0, label: 'console_accounts', audit: 'sign_up', handle: signUpWithPassword },
    { for: 'session', method: 'PUT', path: 'password', cost: 1, label: 'console_password', audit: 'password_change', handle: changePassword },
  ];
}

async function requireUncommon(password: string, email: string): Promise<void> {
  if (await isCommonPassword(password, email))
    throw invalidField('password', 'This password is too common. Use a few unrelated words, or let a password manager generate one.');
}

function taken(): ConsoleError {
  return new ConsoleError('conflict', 'An account with this e-mail address exists already. Sign in, or use another address.', { field: 'email' });
}
