/**
 * Sessions of people at the page. A session's record is an API key's, so that all that holds for keys holds for it: admitted by the same
 * script, checked while a call is held, gone everywhere at once. Its secret is in one browser's cookie alone; it is stored as its SHA-256.
 */
import { sessionKeyId } from '../keys/api-keys.js';
import { guarded } from '../redis/guarded.js';
import { newSecret, sha256Short } from '../ids.js';
import { accountKeys, apiKeyRecord } from '../keys.js';
import type { Connections } from '../redis/connections.js';
import { redisTimeMs } from '../redis/redis-time.js';

/** Of one account; the oldest ends for one that is more. */
const sessionsMax = 100;

export const sessionLifeMs = 30 * 24 * 3_600_000;

export class Sessions {
  readonly #redis: Connections;

  constructor(redis: Connections) {
    this.#redis = redis;
  }

  /**
   * Begins a session. The answer is the only time its secret can be read.
   * The account's list is written first: a crash leaves an entry without a session, never a session that nobody can find and end.
   */
  async begin(account: string): Promise<{ secret: string; keyHash: string }> {
    const secret = newSecret('ps_');
    const keyHash = sha256Short(secret);
    const { commands } = this.#redis;
    await guarded(async () => {
      const now = await redisTimeMs(this.#redis);
      const expiresAt = now + sessionLifeMs;
      const list = accountKeys.sessions(account);
      await commands.zremrangebyscore(list, '-inf', now);
      await commands.zadd(list, expiresAt, keyHash);
      const surplus = await commands.zrange(list, '0', String(-(sessionsMax + 1)));
      await this.#end(account, surplus);
      const made = await commands
        .multi()
        .hset(apiKeyRecord(keyHash), { account, id: sessionKeyId, name: '', robots: '*', created_at: now, expires_at: expiresAt })
        .pexpireat(apiKeyRecord(keyHash), expiresAt)
        .exec();
      // A command refused inside a MULTI rejects nothing: no session without its end.
      for (const [error] of made ?? []) if (error) throw error;
    });
    return { secret, keyHash };
  }

  /** Ends a session for every call that comes after this resolves, on every instance; on disk then, as far as `durably` goes. */
  async end(account: string, keyHash: string): Promise<void> {
    await this.#redis.durably([apiKeyRecord(keyHash)], () => guarded(() => this.#end(account, [keyHash])));
  }

  /** Ends all sessions of the account. @param except the one that stays, if any */
  async endAll(account: string, except: string | null = null): Promise<void> {
    const listed = await guarded(() => this.#redis.commands.zrange(accountKeys.sessions(account), '0', '-1'));
    const ended = listed.filter((keyHash) => keyHash !== except);
    await this.#redis.durably(
      ended.map((keyHash) => apiKeyRecord(keyHash)),
      () => guarded(() => this.#end(account, ended)),
    );
  }

  /** The records first: a crash in between leaves entries in the list, not sessions that work. */
  async #end(account: string, keyHashes: readonly string[]): Promise<void> {
    if (keyHashes.length === 0) return;
    const { commands } = this.#redis;
    await Promise.all(keyHashes.map((keyHash) => commands.unlink(apiKeyRecord(keyHash))));
    await commands.zrem(accountKeys.sessions(account), ...keyHashes);
  }
}
