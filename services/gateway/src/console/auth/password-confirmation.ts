import { ConsoleError } from '@perch/schema';
import type { Store } from '@perch/store';
import type { Form } from '../route.js';
import type { Session } from './session-auth.js';
import type { SignInRateLimiter } from './sign-in-rate-limiter.js';

/** A field of a form that holds the account's password, and what its user is told. */
export interface PasswordField {
  name: string;
  missing: string;
  wrong: string;
}

const current: PasswordField = { name: 'current', missing: 'Enter your current password.', wrong: 'This is not your current password.' };

/** Before a change of how users sign in, an account that has a password asks for it: an open browser, or a stolen session, is not enough. */
export class PasswordConfirmation {
  readonly #store: Pick<Store, 'accounts' | 'passwords'>;
  readonly #signInLimiter: SignInRateLimiter;

  constructor(store: Pick<Store, 'accounts' | 'passwords'>, signInLimiter: SignInRateLimiter) {
    this.#store = store;
    this.#signInLimiter = signInLimiter;
  }

  /** Reads the field `current`. @returns the hash of the password, or null if the account has none @throws {ConsoleError} wrong_credentials */
  async require(session: Session, form: Form): Promise<{ email: string; hash: string | null }> {
    const { accounts, passwords } = this.#store;
    const { account } = session;
    const [found, hash] = await Promise.all([accounts.get(account), passwords.of(account)]);
    if (found === null) throw new ConsoleError('signed_out', 'This account no longer exists.');
    const { email } = found;
    if (hash !== null) await this.check(session, email, form, current);
    return { email, hash };
  }

  /** Checks the password of an account that has one. Wrong ones are limited in each session. @throws {ConsoleError} wrong_credentials */
  async check({ keyHash }: Session, email: string, form: Form, { name, missing, wrong }: PasswordField): Promise<void> {
    const password = form.password(name, missing);
    const right = await this.#signInLimiter.passwordChange(keyHash, () => this.#store.passwords.check(email, password));
    if (right === null) throw new ConsoleError('wrong_credentials', wrong, { field: name });
  }
}
