/** POST /console/accounts: signing up, where strangers may, and PUT /console/password. */
import type { Logger } from '@perch/runtime';
import { ApiError, ConsoleError } from '@perch/schema';
import { inDoubt, isCommonPassword, StoreError, type Store } from '@perch/store';
import type { Exchange } from '../../http/exchange.js';
import type { DeviceCookie } from '../auth/device-cookie.js';
import type { Entrance, SignUp } from '../auth/session-issuer.js';
import { Form, wrong } from '../form.js';
import type { Guesses } from '../auth/sign-in-rate-limiter.js';
import type { AskedBySession, Route } from '../route.js';
import type { Session } from '../auth/session-auth.js';

export interface AccountRoutesOptions {
  store: Pick<Store, 'accounts' | 'passwords' | 'sessions' | 'invitations'>;
  entrance: Entrance;
  guesses: Guesses;
  devices: DeviceCookie;
  signUp: SignUp;
  log: Logger;
}

export function accountRoutes({ store, entrance, guesses, devices, signUp, log }: AccountRoutesOptions): Route[] {
  /** Uses an invitation up for the time of the work; it works again where that is refused. Where nobody knows whether it was done, it does not. */
  async function invited<T>(invitation: string | null, work: () => Promise<T>): Promise<T> {
    if (signUp === 'closed') throw new ConsoleError('sign_up_closed', 'No accounts can be made here. Ask who runs this service for one.');
    if (signUp === 'open') return work();
    const lifeMs = invitation === null ? null : await store.invitations.lifeMs(invitation);
    const taken = invitation === null ? null : await store.invitations.take(invitation);
    if (invitation === null || lifeMs === null || taken === null)
      throw new ConsoleError(
        'sign_up_closed',
        'An account is made here by invitation, and this one was used before or is too old. Ask for a new one.',
        {
          field: 'invitation',
        },
      );
    try {
      return await work();
    } catch (error) {
      if (error instanceof ApiError || error instanceof ConsoleError)
        await store.invitations
          .giveBack(invitation, taken, lifeMs)
          .catch((err: unknown) => log.warn({ err }, 'an invitation that made no account could not be given back'));
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

  /** @param from the hash of the one before @returns false where that is another by now; nothing is changed then */
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
      // Where it was done all the same, whoever came in by the one before has to go.
      if (error instanceof StoreError && (await store.passwords.of(account).catch(() => null)) === hash)
        await endOthers().catch((err: unknown) => log.warn({ account, err }, 'sessions from before a change of password may go on'));
      throw error;
    }
  }

  async function changePassword({ exchange, session, body }: AskedBySession): Promise<object> {
    const form = new Form(await body(), ['current', 'password']);
    const password = form.newPassword('password');
    const [account, hash] = await Promise.all([store.accounts.get(session.account), store.passwords.of(session.account)]);
    if (account === null) throw new ConsoleError('signed_out', 'This account is no more.');
    if (hash !== null) {
      const current = form.password('current', 'Enter the password you have now.');
      const right = await guesses.passwordChange(session.keyHash, () => store.passwords.check(account.email, current));
      if (right === null) throw new ConsoleError('wrong_credentials', 'This is not the password you have now.', { field: 'current' });
    }
    await requireUncommon(password, account.email);
    if (!(await replacePassword(exchange, session, hash, password)))
      throw new ConsoleError('conflict', 'The password was changed elsewhere meanwhile. Try again with that one.', { field: 'current' });
    return inDoubt(() => entrance.tell(exchange));
  }

  return [
    {
      for: 'anyone',
      method: 'POST',
      path: 'accounts',
      audit: 'sign_up',
      label: 'console_accounts',
      async handle({ exchange, body }) {
        const form = new Form(await body(), ['email', 'password', 'invitation']);
        const email = form.email('email');
        const password = form.newPassword('password');
        const invitation = form.has('invitation') ? form.text('invitation', 'The invitation is not whole.') : null;
        await guesses.stranger('signUp', exchange);
        await requireUncommon(password, email);
        const account = await invited(invitation, () => create(email, password));
        return inDoubt(() => entrance.letIn(exchange, account));
      },
    },
    { for: 'session', method: 'PUT', path: 'password', audit: 'password_change', label: 'console_password', handle: changePassword },
  ];
}

/** @throws {ApiError} bad_argument */
async function requireUncommon(password: string, email: string): Promise<void> {
  if (await isCommonPassword(password, email))
    throw wrong('password', 'This password is among the first that others would try. Use a few unrelated words, or let a password manager make one.');
}

function taken(): ConsoleError {
  return new ConsoleError('conflict', 'There is an account with this e-mail address. Sign in, or use another address.', { field: 'email' });
}
