/** Routes for the account as a whole: download all of its data, and delete it. */
import { ConsoleError, type ConsoleSession } from '@perch/schema';
import type { Account, Store } from '@perch/store';
import type { ActivityLog } from '../../activity/activity-log.js';
import { pacedWrite } from '../../http/paced-write.js';
import type { SessionIssuer } from '../auth/session-issuer.js';
import type { PasswordConfirmation, PasswordField } from '../auth/password-confirmation.js';
import { Form, invalidField } from '../form.js';
import type { ConsoleRoute, SessionRequest } from '../route.js';
import type { AccountRemovals } from './account-removals.js';

export interface AccountDataRoutesOptions {
  store: Pick<Store, 'accounts' | 'accountExport' | 'attempts' | 'clock' | 'passwords'>;
  activity: Pick<ActivityLog, 'settle'>;
  removals: Pick<AccountRemovals, 'begin'>;
  sessionIssuer: SessionIssuer;
  confirmation: PasswordConfirmation;
}

const passwordField: PasswordField = { name: 'password', missing: 'Enter your password.', wrong: 'This is not your password.' };
const contentType = 'application/json; charset=utf-8';

export function accountDataRoutes({ store, activity, removals, sessionIssuer, confirmation }: AccountDataRoutesOptions): ConsoleRoute[] {
  async function ownAccount(id: string): Promise<Account> {
    const account = await store.accounts.get(id);
    if (account === null) throw new ConsoleError('signed_out', 'This account no longer exists.');
    return account;
  }

  /** Answers with the document of `perch account export`, piece by piece. An error after the first piece breaks the response off. */
  async function download({ exchange, session }: SessionRequest): Promise<null> {
    const account = await ownAccount(session.account);
    const day = new Date(store.clock.now()).toISOString().slice(0, 10);
    exchange.setHeader('content-disposition', `attachment; filename="perch-account-${day}.json"`);
    if (exchange.request.method === 'HEAD') {
      exchange.answerBytes(200, null, ['content-type', contentType, 'cache-control', 'no-store']);
      return null;
    }
    await countExport(account.id);
    await activity.settle(account.id);
    const pieces = store.accountExport.write(account);
    let piece = await pieces.next();
    const response = exchange.stream(contentType);
    for (; piece.done !== true; piece = await pieces.next()) {
      exchange.time.pause();
      await pacedWrite(response, [piece.value], exchange.signal).finally(() => exchange.time.resume());
    }
    response.end();
    return null;
  }

  async function countExport(account: string): Promise<void> {
    const waitS = await store.attempts.count('export', account);
    if (waitS === null) return;
    const minutes = Math.ceil(waitS / 60);
    throw new ConsoleError('too_many_attempts', `Too many downloads. Try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}.`, {
      retryAfterS: waitS,
    });
  }

  async function remove({ exchange, session, body }: SessionRequest): Promise<ConsoleSession> {
    const form = new Form(await body(), ['email', 'password']);
    const typed = form.email('email');
    const [account, hash] = await Promise.all([ownAccount(session.account), store.passwords.of(session.account)]);
    if (!isSameAddress(typed, account.email)) throw invalidField('email', 'This is not the e-mail address of this account.');
    if (hash !== null) await confirmation.check(session, account.email, form, passwordField);
    await removals.begin(account.id, account.email);
    return sessionIssuer.signOut(exchange);
  }

  return [
    {
      for: 'session',
      method: 'GET',
      path: 'account/export',
      cost: 1,
      label: 'console_account_export',
      audit: 'account_export',
      handle: download,
    },
    {
      for: 'session',
      method: 'POST',
      path: 'account/removal',
      cost: 1,
      label: 'console_account_removal',
      audit: 'account_remove',
      handle: remove,
    },
  ];
}

function isSameAddress(typed: string, own: string): boolean {
  const folded = (address: string): string => address.trim().normalize('NFC').toLowerCase();
  return folded(typed) === folded(own);
}
