/** Limits what clients may try without (or before) being authorised: passwords, sign-ups, pairings, pairing codes. Counts over all instances, by rate-limiter-flexible. */
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { asStoreError } from '../errors.js';
import { sha256Short } from '../ids.js';
import { sharedKeys } from '../keys.js';
import type { Connections } from '../redis/connections.js';

/** What is tried, at whom or by whom, how often within how many seconds. */
const bounds = {
  /** Wrong passwords for one account, from browsers that have not signed in to it before. */
  account: { points: 10, duration: 900 },
  /** Wrong passwords for one account in a browser that signed in to it before. */
  device: { points: 10, duration: 900 },
  /** Wrong current passwords in one session that changes its password. */
  passwordChange: { points: 10, duration: 900 },
  /** Wrong passwords from one network, for any account: many people may share one. */
  address: { points: 50, duration: 900 },
  signUp: { points: 30, duration: 3600 },
  oidc: { points: 60, duration: 600 },
  /** Pairings begun from one network: a classroom or a workshop of robots behind one address. */
  pairing: { points: 200, duration: 600 },
  /** Pairings begun from one site (`clientSite`), so that its many networks hold only a small share of all pairings. */
  pairingSite: { points: 800, duration: 600 },
  /** Pairing codes that one account enters and no robot shows. RFC 8628, 5.1: codes are short, so guessing must be slow. */
  code: { points: 10, duration: 60 },
} as const;

export type Bound = keyof typeof bounds;

export class AttemptCounter {
  readonly #limiters: Record<Bound, RateLimiterRedis>;

  constructor({ commands }: Connections) {
    const limiter = (of: Bound): RateLimiterRedis =>
      new RateLimiterRedis({ storeClient: commands, keyPrefix: sharedKeys.attempts(of), ...bounds[of] });
    this.#limiters = Object.fromEntries((Object.keys(bounds) as Bound[]).map((of) => [of, limiter(of)])) as Record<Bound, RateLimiterRedis>;
  }

  /**
   * Counts an attempt before it is made, so that many at once are no way around.
   * @param who an e-mail address, a network, a secret, an id; its hash is kept
   * @returns whole seconds to wait, or null when it may be made
   */
  async count(of: Bound, who: string): Promise<number | null> {
    try {
      await this.#limiters[of].consume(nameOf(who));
      return null;
    } catch (refused) {
      if (refused instanceof Error) throw asStoreError(refused);
      return Math.max(1, Math.ceil((refused as { msBeforeNext: number }).msBeforeNext / 1000));
    }
  }

  /** Takes one back: it was no wrong one. */
  async takeBack(of: Bound, who: string): Promise<void> {
    await this.#quietly(() => this.#limiters[of].reward(nameOf(who)));
  }

  /** Forgets all of them: the right password was there. */
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

/** Between braces: the tag of a Cluster. */
function nameOf(who: string): string {
  return `{${sha256Short(who.trim().normalize('NFC').toLowerCase())}}`;
}
