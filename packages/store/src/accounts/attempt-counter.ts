/** Rate limits, over all instances, of attempts by clients that are not authorised yet, and of exports. */
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { asStoreError } from '../redis/errors.js';
import { sha256Short } from '../redis/ids.js';
import { sharedKeys } from '../redis/keys.js';
import type { Connections } from '../redis/connections.js';

const bounds = {
  /** Wrong passwords for one account, from browsers that have not signed in to it before. */
  account: { points: 10, duration: 900 },
  /** Wrong passwords for one account in a browser that has signed in to it before. */
  device: { points: 10, duration: 900 },
  passwordChange: { points: 10, duration: 900 },
  /** Wrong passwords from one network, for any account: many users may share a network. */
  address: { points: 50, duration: 900 },
  signUp: { points: 30, duration: 3600 },
  /** Password resets requested for one address, whether or not it has an account. */
  resetAddress: { points: 5, duration: 3600 },
  /** Password resets requested from one network, for any address. */
  reset: { points: 30, duration: 3600 },
  /** E-mails to verify the address of one account, that of its sign-up included. */
  verification: { points: 5, duration: 3600 },
  oidc: { points: 60, duration: 600 },
  /** Sign-ins with a passkey begun from one network that did not succeed. */
  passkey: { points: 60, duration: 600 },
  /** Pairings begun from one network: a classroom or workshop of robots behind one address. */
  pairing: { points: 200, duration: 600 },
  /** Pairings begun from one site (`clientSite`), so that its many networks take only a small share of all pairings. */
  pairingSite: { points: 800, duration: 600 },
  /** Wrong pairing codes of one account. RFC 8628, 5.1: codes are short, so guessing must be slow. */
  code: { points: 10, duration: 60 },
  /** OAuth clients registered from one network: a hosted client registers for each of its users. */
  registration: { points: 100, duration: 3600 },
  /** Metadata documents of OAuth clients fetched for one account. */
  clientDocument: { points: 30, duration: 600 },
  /** Access tokens issued for one grant; clients refresh once an hour. */
  refresh: { points: 60, duration: 3600 },
  /** Challenges of one grant to ask its user for one more scope: declined, the next call is refused in words, and does not ask again at once. */
  stepUp: { points: 1, duration: 600 },
  /** Exports of one account on the page, each of which reads everything that is stored about it. */
  export: { points: 10, duration: 3600 },
} as const;

export type Bound = keyof typeof bounds;

export class AttemptCounter {
  readonly #limiters: Record<Bound, RateLimiterRedis>;

  constructor({ commands }: Connections) {
    const limiter = (of: Bound): RateLimiterRedis =>
      new RateLimiterRedis({ storeClient: commands, keyPrefix: sharedKeys.attempts(of), ...bounds[of] });
    this.#limiters = Object.fromEntries((Object.keys(bounds) as Bound[]).map((of) => [of, limiter(of)])) as Record<Bound, RateLimiterRedis>;
  }

  /** Counts an attempt before it is made: concurrent ones cannot exceed the limit. Stores `who` hashed. Returns whole seconds to wait, or null. */
  async count(of: Bound, who: string): Promise<number | null> {
    try {
      await this.#limiters[of].consume(nameOf(who));
      return null;
    } catch (refused) {
      if (refused instanceof Error) throw asStoreError(refused);
      return Math.max(1, Math.ceil((refused as { msBeforeNext: number }).msBeforeNext / 1000));
    }
  }

  async takeBack(of: Bound, who: string): Promise<void> {
    await this.#quietly(() => this.#limiters[of].reward(nameOf(who)));
  }

  async forget(of: Bound, who: string): Promise<void> {
    await this.#quietly(() => this.#limiters[of].delete(nameOf(who)));
  }

  async #quietly(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      throw asStoreError(error);
    }
  }
}

function nameOf(who: string): string {
  return `{${sha256Short(who.trim().normalize('NFC').toLowerCase())}}`;
}
