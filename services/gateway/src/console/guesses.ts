/**
 * Guessing passwords, held up: so many wrong ones for an account, whoever tries, and from an address, at whatever account; over all gateways.
 * Each try is counted before it is made, so that many at once are no way around, and forgotten when it was right.
 */
import type { ClientAddresses } from '@perch/runtime';
import { ConsoleError } from '@perch/schema';
import type { Store } from '@perch/store';
import type { Exchange } from '../exchange.js';

export class Guesses {
  readonly #attempts: Store['attempts'];
  readonly #addresses: ClientAddresses;

  constructor(attempts: Store['attempts'], addresses: ClientAddresses) {
    this.#attempts = attempts;
    this.#addresses = addresses;
  }

  /**
   * Tries a password.
   * @param email the account's, whether there is one or not @param attempt answers null where it was wrong
   * @throws {ConsoleError} too_many_attempts; nothing was tried then
   */
  async of<T>({ request }: Exchange, email: string, attempt: () => Promise<T | null>): Promise<T | null> {
    const address = this.#addresses.networkOf(request);
    await this.#count('address', address, 'Too many wrong passwords from your network.');
    try {
      await this.#count('account', email, 'Too many wrong passwords for this account.');
      const found = await attempt();
      if (found === null) return null;
      await this.#attempts.forget('account', email);
      await this.#attempts.takeBack('address', address);
      return found;
    } catch (error) {
      // Nothing was learnt.
      await this.#attempts.takeBack('address', address).catch(() => {});
      throw error;
    }
  }

  /** Counts what a stranger makes us do. @throws {ConsoleError} too_many_attempts */
  async stranger(of: 'signUp' | 'oidc', { request }: Exchange): Promise<void> {
    await this.#count(of, this.#addresses.networkOf(request), 'Too many of these from your network.');
  }

  async #count(of: Parameters<Store['attempts']['count']>[0], who: string, sentence: string): Promise<void> {
    const waitS = await this.#attempts.count(of, who);
    if (waitS === null) return;
    const minutes = Math.ceil(waitS / 60);
    throw new ConsoleError('too_many_attempts', `${sentence} Try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}.`, {
      retryAfterS: waitS,
    });
  }
}
