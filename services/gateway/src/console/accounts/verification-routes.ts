/**
 * The link of a verification e-mail proves the address, and nothing about who made the account. In a browser that is signed in to the account, whoever
 * made it has the address, and keeps all. In any other browser, the link verifies nothing by itself: it sets a new password, as a first recovery.
 */
import { ConsoleError, type ConsoleSession } from '@perch/schema';
import { inDoubt, type Account, type Store } from '@perch/store';
import type { AccountMails } from '../../mail/account-mails.js';
import { MailFailed } from '../../mail/mail-delivery.js';
import type { SessionAuth } from '../auth/session-auth.js';
import type { SignInRateLimiter } from '../auth/sign-in-rate-limiter.js';
import { Form } from '../form.js';
import type { ConsoleRequest, ConsoleRoute, SessionRequest } from '../route.js';
import { requireUncommon } from './password-change.js';
import type { PasswordRecovery } from './password-recovery.js';

export interface VerificationRoutesOptions {
  store: Pick<Store, 'accounts' | 'passwords' | 'emailVerifications'>;
  sessionAuth: Pick<SessionAuth, 'find'>;
  recovery: PasswordRecovery;
  mails: AccountMails;
  signInLimiter: SignInRateLimiter;
}

export function verificationRoutes({ store, sessionAuth, recovery, mails, signInLimiter }: VerificationRoutesOptions): ConsoleRoute[] {
  const label = 'console_verifications';

  async function send({ session }: SessionRequest): Promise<object> {
    const [account, verifiedAt] = await Promise.all([store.accounts.get(session.account), store.accounts.verifiedAt(session.account)]);
    if (account === null) throw new ConsoleError('signed_out', 'This account no longer exists.');
    if (verifiedAt !== null) throw new ConsoleError('conflict', 'Your e-mail address is verified already.');
    await signInLimiter.countVerification(account.id);
    try {
      await mails.verify(account);
    } catch (error) {
      if (!(error instanceof MailFailed)) throw error;
      throw new ConsoleError('mail_failed', 'The e-mail could not be sent; try again later.', { retryAfterS: 60, cause: error });
    }
    return { ok: true };
  }

  async function verify({ exchange, body, auditNote }: ConsoleRequest): Promise<object> {
    const form = new Form(await body(), ['token', 'password']);
    const token = form.text('token', 'The link is incomplete.');
    const password = form.has('password') ? form.newPassword('password') : null;
    const id = await store.emailVerifications.find(token);
    const account = id === null ? null : await store.accounts.get(id);
    if (account === null) throw usedLink();
    auditNote.account = account.id;
    if (password !== null) {
      auditNote.kind = 'password_reset';
      return recover(exchange, token, account, password);
    }
    const isProven = await store.accounts.isProven(account.id);
    if (!isProven && (await sessionAuth.find(exchange))?.account !== account.id) throw openedElsewhere();
    if ((await store.emailVerifications.take(token)) === null) throw usedLink();
    if (!(await inDoubt(() => store.accounts.verify(account.id)))) throw usedLink();
    if (!isProven) mails.verified(account);
    return { ok: true };
  }

  async function recover(exchange: ConsoleRequest['exchange'], token: string, { id, email }: Account, password: string): Promise<ConsoleSession> {
    // Later, only a link that is asked for sets a password; it works for an hour.
    if (await store.accounts.isProven(id)) throw usedLink();
    await requireUncommon(password, email);
    const hash = await store.passwords.hash(password);
    if ((await store.emailVerifications.take(token)) === null) throw usedLink();
    const recovered = await inDoubt(() => recovery.recover(exchange, { account: id, email, replaces: null, hash }));
    if (recovered === null) throw usedLink();
    return recovered;
  }

  return [
    { for: 'session', method: 'POST', path: 'verifications', cost: 1, label, audit: 'verification_send', handle: send },
    { for: 'anyone', method: 'PUT', path: 'verifications', cost: 0, label, audit: 'email_verify', handle: verify },
  ];
}

function openedElsewhere(): ConsoleError {
  return new ConsoleError(
    'conflict',
    'This browser is not signed in to the account. If you made the account, sign in here first, and open the link again. If not, set a new password: this ends all that was made in the account.',
    { field: 'password' },
  );
}

function usedLink(): ConsoleError {
  return new ConsoleError(
    'wrong_credentials',
    'This link has been used or has expired: it works once, within a day. Your account page sends another one.',
  );
}
