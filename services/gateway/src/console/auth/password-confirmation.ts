import { ConsoleError } from '@perch/schema';
import type { Store } from '@perch/store';
import type { Form } from '../form.js';
import type { Session } from './session-auth.js';
import type { SignInRateLimiter } from './sign-in-rate-limiter.js';

/** Before a change of how users sign in, an account that has a password asks for it: an open browser, or a stolen session, is not enough. */
export class PasswordConfirmation {
  readonly #store: Pick<Store, 'accounts' | 'passwords'>;
  readonly #signInLimiter: SignInRateLimiter;

  constructor(store: Pick<Store, 'accounts' | 'passwords'>, signInLimiter: SignInRateLimiter) {
    this.#store = store;
    this.#signInLimiter = signInLimiter;
  }

  /** Reads the field `current`. @returns the hash of the password, or null if the account has none @throws {ConsoleError} wrong_credentials */
  async require({ account, keyHash }: Session, form: Form): Promise<{ email: string; hash: string | null }> {
    const { accounts, passwords } = this.#store;
    const [found, hash] = await Promise.all([accounts.get(account), passwords.of(account)]);
    if (found === null) throw new ConsoleError('signed_out', 'This account no longer exists.');
    const { email } = found;
    if (hash === null) return { email, hash };
    const current = form.password('current', 'Enter your current password.');
    const right = await this.#signInLimiter.passwordChange(keyHash, () => passwords.check(email, current));
    if (right === null) throw new ConsoleError('wrong_credentials', 'This is not your current password.', { field: 'current' });
    return { email, hash };
  }
}
