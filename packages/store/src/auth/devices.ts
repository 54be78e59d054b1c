/** Browsers that signed in before ("device cookies", OWASP): others' guesses do not lock out the owner. Their hashed secrets grant nothing. */
import { guarded } from '../redis/guarded.js';
import { newSecret, sha256Short } from '../ids.js';
import { accountKeys } from '../keys.js';
import type { Connections } from '../redis/connections.js';
import { redisTimeMs } from '../redis/redis-time.js';

const devicesMax = 20;

export const deviceLifeMs = 180 * 24 * 3_600_000;

/** Read instead if the account does not exist, so that the reply takes as long as for one that does. */
const noAccount = 'a-none';

export class Devices {
  readonly #redis: Connections;

  constructor(redis: Connections) {
    this.#redis = redis;
  }

  /** Takes as long without an account (null). @returns the secret that belongs to a device of the account */
  async find(account: string | null, secrets: readonly string[]): Promise<string | null> {
    if (secrets.length === 0) return null;
    const list = accountKeys.devices(account ?? noAccount);
    const [now, ...expiries] = await guarded(() =>
      Promise.all([redisTimeMs(this.#redis), ...secrets.map((secret) => this.#redis.commands.zscore(list, sha256Short(secret)))]),
    );
    return secrets.find((_, i) => Number(expiries[i] ?? 0) > now) ?? null;
  }

  /** Renews the device of a browser that signed in, or creates one. @returns its secret, for the browser's cookie */
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

  /** @returns how many were known */
  async revokeAll(account: string, except: readonly string[] = []): Promise<number> {
    const kept = new Set(except.map((secret) => sha256Short(secret)));
    const list = accountKeys.devices(account);
    return guarded(async () => {
      const revoked = (await this.#redis.commands.zrange(list, '0', '-1')).filter((hash) => !kept.has(hash));
      return revoked.length === 0 ? 0 : this.#redis.commands.zrem(list, ...revoked);
    });
  }
}
