import type { Logger } from '@perch/runtime';
import { ApiError, ConsoleError } from '@perch/schema';
import { inDoubt, type Store } from '@perch/store';
import type { AccountMails } from '../../mail/account-mails.js';
import type { PasswordConfirmation } from '../auth/password-confirmation.js';
import type { SessionIssuer, SignUp } from '../auth/session-issuer.js';
import { Form } from '../form.js';
import type { SignInRateLimiter } from '../auth/sign-in-rate-limiter.js';
import type { ConsoleRequest, ConsoleRoute, SessionRequest } from '../route.js';
import { requireUncommon, type PasswordChange } from './password-change.js';

export interface AccountRoutesOptions {
  store: Pick<Store, 'accounts' | 'passwords' | 'invitations'>;
  sessionIssuer: SessionIssuer;
  signInLimiter: SignInRateLimiter;
  confirmation: PasswordConfirmation;
  passwordChange: PasswordChange;
  signUp: SignUp;
  /** Null: no e-mail is sent. */
  mails: AccountMails | null;
  log: Logger;
}

export function accountRoutes(options: AccountRoutesOptions): ConsoleRoute[] {
  const { store, sessionIssuer, signInLimiter, confirmation, passwordChange, signUp, mails, log } = options;

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

  async function changePassword({ exchange, session, body }: SessionRequest): Promise<object> {
    const form = new Form(await body(), ['current', 'password']);
    const password = form.newPassword('password');
    const { email, hash } = await confirmation.require(session, form);
    await requireUncommon(password, email);
    const changed = {
      account: session.account,
      reason: 'password_changed' as const,
      keptSession: session.keyHash,
      from: hash,
      hash: await store.passwords.hash(password),
    };
    if ((await passwordChange.replace(exchange, changed)) === null)
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
    mails?.verifyLater({ id: account, email });
    return inDoubt(() => sessionIssuer.signIn(exchange, account));
  }

  return [
    { for: 'anyone', method: 'POST', path: 'accounts', cost: 0, label: 'console_accounts', audit: 'sign_up', handle: signUpWithPassword },
    { for: 'session', method: 'PUT', path: 'password', cost: 1, label: 'console_password', audit: 'password_change', handle: changePassword },
  ];
}

function taken(): ConsoleError {
  return new ConsoleError('conflict', 'An account with this e-mail address exists already. Sign in, or use another address.', { field: 'email' });
}
