import type { Logger } from '@perch/runtime';
import { inDoubt, isCommonPassword, StoreError, type Ended, type Store } from '@perch/store';
import type { Exchange } from '../../http/exchange.js';
import type { DeviceCookie } from '../auth/device-cookie.js';
import { invalidField } from '../route.js';

export interface PasswordChangeOptions {
  store: Pick<Store, 'passwords' | 'endings'>;
  devices: DeviceCookie;
  log: Logger;
}

export interface NewPassword {
  account: string;
  reason: 'password_changed' | 'password_reset' | 'address_proven';
  /** Hash of the session that stays; null: all end. */
  keptSession: string | null;
  /** Hash of the current password; null: none. */
  from: string | null;
  /** Hash of the new one. */
  hash: string;
}

/** Replaces a password, and ends what the reason ends (`inventory.ts` of @perch/store). */
export class PasswordChange {
  readonly #options: PasswordChangeOptions;

  constructor(options: PasswordChangeOptions) {
    this.#options = options;
  }

  /** @returns what ended; null, without a change, if the password was changed meanwhile */
  async replace(exchange: Exchange, { account, reason, keptSession, from, hash }: NewPassword): Promise<Ended | null> {
    const { store, devices, log } = this.#options;
    const kept = { session: keptSession, devices: devices.secretsOf(exchange) };
    const endOthers = (): Promise<Ended> => store.endings.end({ reason, account, kept });
    try {
      if (!(await store.passwords.replace(account, from, hash))) return null;
      return await inDoubt(endOthers);
    } catch (error) {
      // If the change took effect despite the error, what was made with the former password must end.
      if (error instanceof StoreError && (await store.passwords.of(account).catch(() => null)) === hash)
        await endOthers().catch((err: unknown) => log.warn({ account, err }, 'what was made before a password change could not be ended'));
      throw error;
    }
  }
}

/** @throws {ApiError} bad_argument for a common password */
export async function requireUncommon(password: string, email: string): Promise<void> {
  if (await isCommonPassword(password, email))
    throw invalidField('password', 'This password is too common. Use a few unrelated words, or let a password manager generate one.');
}
