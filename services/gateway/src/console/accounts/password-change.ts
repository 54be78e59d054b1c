import type { Logger } from '@perch/runtime';
import { inDoubt, isCommonPassword, StoreError, type Store } from '@perch/store';
import type { Exchange } from '../../http/exchange.js';
import type { DeviceCookie } from '../auth/device-cookie.js';
import { invalidField } from '../form.js';

export interface PasswordChangeOptions {
  store: Pick<Store, 'passwords' | 'sessions'>;
  devices: DeviceCookie;
  log: Logger;
}

export interface NewPassword {
  account: string;
  /** Hash of the session that stays; null: all end. */
  keptSession: string | null;
  /** Hash of the current password; null: none. */
  from: string | null;
  /** Hash of the new one. */
  hash: string;
}

/** Replaces a password, and ends the sessions that the former one could have started. */
export class PasswordChange {
  readonly #options: PasswordChangeOptions;

  constructor(options: PasswordChangeOptions) {
    this.#options = options;
  }

  /** @returns false, without a change, if the password was changed meanwhile */
  async replace(exchange: Exchange, { account, keptSession, from, hash }: NewPassword): Promise<boolean> {
    const { store, devices, log } = this.#options;
    const endOthers = async (): Promise<void> => {
      await Promise.all([store.sessions.endAll(account, keptSession), devices.revokeOthers(exchange, account)]);
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
}

/** @throws {ApiError} bad_argument for a common password */
export async function requireUncommon(password: string, email: string): Promise<void> {
  if (await isCommonPassword(password, email))
    throw invalidField('password', 'This password is too common. Use a few unrelated words, or let a password manager generate one.');
}
