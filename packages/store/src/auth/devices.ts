/**
 * Browsers that have signed in to an account before ("device cookies", OWASP). Password attempts from them are counted separately, so that guessing
 * by others does not lock out the account's owner. A device's secret grants no access; it is stored as its SHA-256.
 */
import { guarded } from '../redis/guarded.js';
import { newSecret, sha256Short } from '../ids.js';
import { accountKeys } from '../keys.js';
import type { Connections } from '../redis/connections.js';
import { redisTimeMs } from '../redis/redis-time.js';

/** Maximum number of devices of an account; the one with the oldest sign-in is dropped. */
const devicesMax = 20;

/** Lifetime of a device after its last sign-in, ms. */
export const deviceLifeMs = 180 * 24 * 3_600_000;

/** Read if there is no account, so that the reply takes as long. */
const noAccount = 'a-none';

export class Devices {
  readonly #redis: Connections;

  constructor(redis: Connections) {
    this.#redis = redis;
  }

  /**
   * Returns the secret that belongs to a device of the account, or null.
   * @param account null if there is none; takes as long
   * @param secrets presented by the browser
   */
  async find(account: string | null, secrets: readonly string[]): Promise<string | null> {
    if (secrets.length === 0) return null;
    const list = accountKeys.devices(account ?? noAccount);
    const [now, ...expiries] = await guarded(() =>
      Promise.all([redisTimeMs(this.#redis), ...secrets.map((secret) => this.#redis.commands.zscore(list, sha256Short(secret)))]),
    );
    return secrets.find((_, i) => Number(expiries[i] ?? 0) > now) ?? null;
  }

  /**
   * Records that a browser signed in to the account: renews its device, or creates one.
   * @param secrets presented by the browser
   * @returns the device's secret, for the browser's cookie
   */
  async remember(account: string, secrets: readonly string[]): Promise<string> {
    const secret = (await this.find(account, secrets)) ?? newSecret('pd_');
    const list = accountKeys.devices(account);
    await guarded(async () => {
      const now = await redisTimeMs(this.#redis);
      const done = await this.#redis.commands
        .multi()
        .zadd(list, now + deviceLifeMs, sha256Short(secret))
        .zremrangebyscore(list, '-inf', now)
        .zremrangebyrank(list, 0, -(devicesMax + 1))
        .pexpire(list, deviceLifeMs)
        .exec();
      for (const [error] of done ?? []) if (error) throw error;
    });
    return secret;
  }

  /** Revokes the account's devices. @param except secrets of the browser whose device stays */
  async revokeAll(account: string, except: readonly string[] = []): Promise<void> {
    const kept = new Set(except.map((secret) => sha256Short(secret)));
    const list = accountKeys.devices(account);
    await guarded(async () => {
      const revoked = (await this.#redis.commands.zrange(list, '0', '-1')).filter((hash) => !kept.has(hash));
      if (revoked.length > 0) await this.#redis.commands.zrem(list, ...revoked);
    });
  }
}
