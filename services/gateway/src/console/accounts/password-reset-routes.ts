/** The first answer is the same, and takes as long, whether or not the address has an account: it is looked up, and the e-mail sent, afterwards. */
import type { ClientAddresses } from '@perch/runtime';
import { ConsoleError, type RecoveryAnswer } from '@perch/schema';
import { inDoubt, type Store } from '@perch/store';
import type { AccountMails } from '../../mail/account-mails.js';
import type { AuditLog } from '../audit.js';
import type { SignInRateLimiter } from '../auth/sign-in-rate-limiter.js';
import { Form } from '../form.js';
import type { ConsoleRequest, OpenRoute } from '../route.js';
import { requireUncommon } from './password-change.js';
import type { PasswordRecovery } from './password-recovery.js';

export interface PasswordResetRoutesOptions {
  store: Pick<Store, 'passwords' | 'passwordResets'>;
  mails: AccountMails;
  recovery: PasswordRecovery;
  signInLimiter: SignInRateLimiter;
  addresses: ClientAddresses;
  audits: AuditLog;
}

export function passwordResetRoutes(options: PasswordResetRoutesOptions): OpenRoute[] {
  const { store, mails, recovery, signInLimiter, addresses, audits } = options;
  const label = 'console_password_resets';

  async function request({ exchange, body }: ConsoleRequest): Promise<object> {
    const form = new Form(await body(), ['email']);
    const email = form.email('email');
    await signInLimiter.countReset(exchange, email);
    const network = addresses.networkOf(exchange.request);
    mails.resetPassword(email, (account) => audits.noteChange(account, 'password_reset_request', network));
    return { ok: true };
  }

  async function reset({ exchange, body }: ConsoleRequest): Promise<RecoveryAnswer> {
    const form = new Form(await body(), ['token', 'password']);
    const token = form.text('token', 'The link is incomplete.');
    const password = form.newPassword('password');
    const found = await store.passwordResets.find(token);
    if (found === null) throw usedLink();
    // A refused password does not consume the token.
    await requireUncommon(password, found.email);
    const hash = await store.passwords.hash(password);
    const taken = await store.passwordResets.take(token);
    if (taken === null) throw usedLink();
    const { account, email, password: replaces } = taken;
    return (await inDoubt(() => recovery.recover(exchange, { account, email, replaces, hash }))) ?? throwing(usedLink());
  }

  return [
    { for: 'anyone', method: 'POST', path: 'password-resets', cost: 0, label, audit: 'password_reset_request', handle: request },
    { for: 'anyone', method: 'PUT', path: 'password-resets', cost: 0, label, audit: 'password_reset', handle: reset },
  ];
}

function throwing(error: Error): never {
  throw error;
}

function usedLink(): ConsoleError {
  return new ConsoleError(
    'wrong_credentials',
    'This link has been used or has expired: it works once, within an hour, and only until the password changes. Ask for a new e-mail.',
  );
}
