import { ConsoleError } from '@perch/schema';
import { inDoubt, type Store } from '@perch/store';
import type { AccountMails } from '../../mail/account-mails.js';
import { MailFailed } from '../../mail/mail-delivery.js';
import type { SignInRateLimiter } from '../auth/sign-in-rate-limiter.js';
import { Form } from '../form.js';
import type { ConsoleRequest, ConsoleRoute, SessionRequest } from '../route.js';

export interface VerificationRoutesOptions {
  store: Pick<Store, 'accounts' | 'emailVerifications'>;
  mails: AccountMails;
  signInLimiter: SignInRateLimiter;
}

export function verificationRoutes({ store, mails, signInLimiter }: VerificationRoutesOptions): ConsoleRoute[] {
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

  async function verify({ body, auditNote }: ConsoleRequest): Promise<object> {
    const form = new Form(await body(), ['token']);
    const account = await store.emailVerifications.take(form.text('token', 'The link is incomplete.'));
    if (account === null) throw usedLink();
    if (!(await inDoubt(() => store.accounts.verify(account)))) throw usedLink();
    auditNote.account = account;
    return { ok: true };
  }

  return [
    { for: 'session', method: 'POST', path: 'verifications', cost: 1, label, audit: 'verification_send', handle: send },
    { for: 'anyone', method: 'PUT', path: 'verifications', cost: 0, label, audit: 'email_verify', handle: verify },
  ];
}

function usedLink(): ConsoleError {
  return new ConsoleError(
    'wrong_credentials',
    'This link has been used or has expired: it works once, within a day. Your account page sends another one.',
  );
}
