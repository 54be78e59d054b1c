/**
 * Limits wrong passwords, over all gateways. An attempt is counted before it is made, so that many at once are no way around the limit, and the
 * count is taken back when the password was right.
 *
 * A browser that signed in to the account before has a count of its own, and so has a session that changes its password: others who guess lock
 * neither out. Everyone else is counted by account and by network.
 */
import type { ClientAddresses } from '@perch/runtime';
import { ConsoleError } from '@perch/schema';
import type { Store } from '@perch/store';
import type { Exchange } from '../../http/exchange.js';
import type { DeviceCookie } from './device-cookie.js';

type Bound = Parameters<Store['attempts']['count']>[0];

interface Count {
  of: Bound;
  who: string;
  /** What the person is told when the limit is reached. */
  sentence: string;
  /** What a right password does: clear all counted attempts, or take back this one. */
  onRight: 'forget' | 'takeBack';
}

export class Guesses {
  readonly #attempts: Store['attempts'];
  readonly #addresses: ClientAddresses;
  readonly #devices: DeviceCookie;

  constructor(attempts: Store['attempts'], addresses: ClientAddresses, devices: DeviceCookie) {
    this.#attempts = attempts;
    this.#addresses = addresses;
    this.#devices = devices;
  }

  /**
   * Tries a password to sign in.
   * @param email address of the account, which need not exist
   * @param attempt returns null for a wrong password
   * @throws {ConsoleError} too_many_attempts; nothing was tried then
   */
  async signIn<T>(exchange: Exchange, email: string, attempt: () => Promise<T | null>): Promise<T | null> {
    const device = await this.#devices.find(exchange, email);
    if (device !== null)
      return this.#counted([{ of: 'device', who: device, sentence: 'Too many wrong passwords in this browser.', onRight: 'forget' }], attempt);
    const network = this.#addresses.networkOf(exchange.request);
    return this.#counted(
      [
        { of: 'address', who: network, sentence: 'Too many wrong passwords from your network.', onRight: 'takeBack' },
        { of: 'account', who: email, sentence: 'Too many wrong passwords for this account.', onRight: 'forget' },
      ],
      attempt,
    );
  }

  /**
   * Tries the current password of an account whose session wants to change it.
   * @param session hash of the session's secret
   * @param attempt returns null for a wrong password
   * @throws {ConsoleError} too_many_attempts; nothing was tried then
   */
  passwordChange<T>(session: string, attempt: () => Promise<T | null>): Promise<T | null> {
    return this.#counted([{ of: 'passwordChange', who: session, sentence: 'Too many wrong passwords.', onRight: 'forget' }], attempt);
  }

  /** Counts what a client makes the service do before it is signed in. @throws {ConsoleError} too_many_attempts */
  async stranger(of: 'signUp' | 'oidc', { request }: Exchange): Promise<void> {
    await this.#count({ of, who: this.#addresses.networkOf(request), sentence: 'Too many of these from your network.' });
  }

  async #counted<T>(counts: readonly Count[], attempt: () => Promise<T | null>): Promise<T | null> {
    const made: Count[] = [];
    try {
      for (const count of counts) {
        await this.#count(count);
        made.push(count);
      }
      const found = await attempt();
      if (found === null) return null;
      for (const { of, who, onRight } of made) await this.#attempts[onRight](of, who);
      return found;
    } catch (error) {
      // No password was tried, or nobody learned whether it was right.
      await Promise.all(made.map(({ of, who }) => this.#attempts.takeBack(of, who).catch(() => {})));
      throw error;
    }
  }

  async #count({ of, who, sentence }: Omit<Count, 'onRight'>): Promise<void> {
    const waitS = await this.#attempts.count(of, who);
    if (waitS === null) return;
    const minutes = Math.ceil(waitS / 60);
    throw new ConsoleError('too_many_attempts', `${sentence} Try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}.`, {
      retryAfterS: waitS,
    });
  }
}
