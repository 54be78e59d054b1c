/**
 * An attempt is counted, across all gateways, before the check, so that parallel ones cannot exceed the limit; a right password takes the count back.
 * Known browsers and password changes have their own counts, so that attackers cannot lock them out; others count by account and network.
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
  sentence: string;
  onRight: 'forget' | 'takeBack';
}

export class SignInRateLimiter {
  readonly #attempts: Store['attempts'];
  readonly #addresses: ClientAddresses;
  readonly #devices: DeviceCookie;

  constructor(attempts: Store['attempts'], addresses: ClientAddresses, devices: DeviceCookie) {
    this.#attempts = attempts;
    this.#addresses = addresses;
    this.#devices = devices;
  }

  /** `attempt` returns null for a wrong password; the account need not exist. @throws {ConsoleError} too_many_attempts, without an attempt */
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

  /** As `signIn`, for the current password in a password change. @param session hash of the session's secret */
  passwordChange<T>(session: string, attempt: () => Promise<T | null>): Promise<T | null> {
    return this.#counted([{ of: 'passwordChange', who: session, sentence: 'Too many wrong passwords.', onRight: 'forget' }], attempt);
  }

  /** Counts costly work for a client that is not signed in, by network. @throws {ConsoleError} too_many_attempts */
  async countAnonymous(of: 'signUp' | 'oidc' | 'passkey', { request }: Exchange): Promise<void> {
    await this.#count({ of, who: this.#addresses.networkOf(request), sentence: 'Too many attempts from your network.' });
  }

  /** After a success: many users may share a network. */
  async takeBackAnonymous(of: 'passkey', { request }: Exchange): Promise<void> {
    await this.#attempts.takeBack(of, this.#addresses.networkOf(request));
  }

  /** Counts a password reset by network and by address, whether or not it has an account. @throws {ConsoleError} too_many_attempts */
  async countReset({ request }: Exchange, email: string): Promise<void> {
    await this.#count({ of: 'reset', who: this.#addresses.networkOf(request), sentence: 'Too many attempts from your network.' });
    await this.#count({ of: 'resetAddress', who: email, sentence: 'Too many e-mails were requested for this address.' });
  }

  /** Counts an e-mail to verify the address of an account. @throws {ConsoleError} too_many_attempts */
  async countVerification(account: string): Promise<void> {
    await this.#count({ of: 'verification', who: account, sentence: 'Too many e-mails were sent to this address.' });
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
      // The password was not checked, or the client did not learn the outcome.
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
