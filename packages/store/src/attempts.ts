/** How often strangers may try: passwords, new accounts, sign-ins with a provider. Counted over all instances, by rate-limiter-flexible. */
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { asStoreError } from './errors.js';
import { sha256Short } from './ids.js';
import { sharedKeys } from './keys.js';
import type { Connections } from './redis.js';

/** What is tried, at whom or by whom, how often within how many seconds. */
const bounds = {
  /** Wrong passwords of one account, whoever tries: a person who forgot theirs has tried what there is. */
  account: { points: 10, duration: 900 },
  /** Wrong passwords from one address, at whatever account: many people may share one. */
  address: { points: 50, duration: 900 },
  signUp: { points: 30, duration: 3600 },
  oidc: { points: 60, duration: 600 },
} as const;

export type Bound = keyof typeof bounds;

export class Attempts {
  readonly #limiters: Record<Bound, RateLimiterRedis>;

  constructor({ commands }: Connections) {
    const limiter = (of: Bound): RateLimiterRedis =>
      new RateLimiterRedis({ storeClient: commands, keyPrefix: sharedKeys.attempts(of), ...bounds[of] });
    this.#limiters = { account: limiter('account'), address: limiter('address'), signUp: limiter('signUp'), oidc: limiter('oidc') };
  }

  /**
   * Counts an attempt before it is made, so that many at once are no way around.
   * @param who an e-mail address or a network address; its hash is kept
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
