/**
 * One-time tokens that set a new password. A token ends with its use, after an hour, and when the password changes in any other way; but not while the
 * address is unverified: who signed up with another person's address could change the password for ever.
 */
import type { Accounts } from '../accounts/accounts.js';
import { sha256Short } from '../ids.js';
import type { Connections } from '../redis/connections.js';
import { OneTimeTokens } from './one-time-tokens.js';
import type { Passwords } from './passwords.js';

export const passwordResetLifeMs = 3_600_000;

export interface PasswordReset {
  account: string;
  email: string;
  /** Hash of the current password, for `Passwords.replace`; null: none. */
  password: string | null;
}

export class PasswordResets {
  readonly #tokens: OneTimeTokens;
  readonly #accounts: Accounts;
  readonly #passwords: Passwords;

  constructor(redis: Connections, accounts: Accounts, passwords: Passwords) {
    this.#tokens = new OneTimeTokens(redis, 'reset');
    this.#accounts = accounts;
    this.#passwords = passwords;
  }

  /** @returns the token, which can be read only here */
  async make(account: string): Promise<string> {
    return this.#tokens.make(`${account} ${markOf(await this.#passwords.of(account))}`, passwordResetLifeMs);
  }

  /** Returns what the token would reset, without consuming it; null if it is unknown, used, expired or superseded. */
  async find(token: string): Promise<PasswordReset | null> {
    return this.#resetOf(await this.#tokens.find(token));
  }

  /** As `find`, and consumes the token: one of two concurrent callers gets the reset. */
  async take(token: string): Promise<PasswordReset | null> {
    return this.#resetOf(await this.#tokens.take(token));
  }

  /** Deletes all unused tokens; for operators only, as `OneTimeTokens.endAll`. */
  endAll(): Promise<number> {
    return this.#tokens.endAll();
  }

  async #resetOf(value: string | null): Promise<PasswordReset | null> {
    const [id = '', mark] = value?.split(' ') ?? [];
    const account = value === null ? null : await this.#accounts.get(id);
    if (account === null) return null;
    const [password, isProven] = await Promise.all([this.#passwords.of(id), this.#accounts.isProven(id)]);
    return markOf(password) === mark || !isProven ? { account: id, email: account.email, password } : null;
  }
}

function markOf(passwordHash: string | null): string {
  return sha256Short(passwordHash ?? '');
}
