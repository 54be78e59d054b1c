/** URLs that sign in to an account once, made by the operator. The account's list of them is written first, so that no link works that it does not have. */
import { sha256Short } from '../ids.js';
import { accountKeys, sharedKeys } from '../keys.js';
import type { Connections } from '../redis/connections.js';
import { guarded } from '../redis/guarded.js';
import { redisTimeMs } from '../redis/redis-time.js';
import { OneTimeTokens } from './one-time-tokens.js';

export class SignInLinks extends OneTimeTokens {
  readonly #connections: Connections;

  constructor(redis: Connections) {
    super(redis, 'link');
    this.#connections = redis;
  }

  protected override async beforeMade(account: string, secret: string, lifeMs: number): Promise<void> {
    const list = accountKeys.signInLinks(account);
    await guarded(async () => {
      const now = await redisTimeMs(this.#connections);
      const until = Math.ceil(now + lifeMs);
      const left = await this.#connections.commands.pttl(list);
      const done = await this.#connections.commands
        .multi()
        .zremrangebyscore(list, '-inf', now)
        .zadd(list, until, sha256Short(secret))
        .pexpire(list, Math.max(left, Math.ceil(lifeMs)))
        .exec();
      for (const [error] of done ?? []) if (error) throw error;
    });
  }

  /** Those that a release before 0.11 made are in no list; they work an hour at most. @returns how many worked */
  async endAllOf(account: string): Promise<number> {
    const { commands } = this.#connections;
    const hashes = await guarded(() => commands.zrange(accountKeys.signInLinks(account), '0', '-1'));
    if (hashes.length === 0) return 0;
    const keys = hashes.map((hash) => sharedKeys.once('link', hash));
    const ended = await this.#connections.durably(keys, () => guarded(() => Promise.all(keys.map((key) => commands.unlink(key)))));
    await guarded(() => commands.zrem(accountKeys.signInLinks(account), ...hashes));
    return ended.reduce((sum, one) => sum + one, 0);
  }
}
