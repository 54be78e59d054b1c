/**
 * Console sessions. A session's record has the form of an API key's, so that sessions are admitted by the same script, checked while a call is open,
 * and revoked everywhere at once. Its secret is only in one browser's cookie; it is stored as its SHA-256.
 */
import { sessionKeyId } from '../keys/api-keys.js';
import { guarded } from '../redis/guarded.js';
import { newSecret, sha256Short } from '../ids.js';
import { accountKeys, apiKeyRecord } from '../keys.js';
import type { Connections } from '../redis/connections.js';
import { redisTimeMs } from '../redis/redis-time.js';

/** Maximum number of sessions of an account; the oldest ends when another begins. */
const sessionsMax = 100;

export const sessionLifeMs = 30 * 24 * 3_600_000;

export class Sessions {
  readonly #redis: Connections;

  constructor(redis: Connections) {
    this.#redis = redis;
  }

  /**
   * Begins a session. The secret can be read only here. The account's list is written first: a crash leaves an entry without a session, never a
   * session that cannot be found and revoked.
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
      // A command refused inside a MULTI does not reject: never create a session without its expiry.
      for (const [error] of made ?? []) if (error) throw error;
    });
    return { secret, keyHash };
  }

  /** Revokes a session for every later call, on every instance; on disk when this resolves, as far as `durably` can tell. */
  async end(account: string, keyHash: string): Promise<void> {
    await this.#redis.durably([apiKeyRecord(keyHash)], () => guarded(() => this.#end(account, [keyHash])));
  }

  /** Revokes all sessions of the account. @param except session that stays */
  async endAll(account: string, except: string | null = null): Promise<void> {
    const listed = await guarded(() => this.#redis.commands.zrange(accountKeys.sessions(account), '0', '-1'));
    const ended = listed.filter((keyHash) => keyHash !== except);
    await this.#redis.durably(
      ended.map((keyHash) => apiKeyRecord(keyHash)),
      () => guarded(() => this.#end(account, ended)),
    );
  }

  /** Deletes the records first: a crash in between leaves entries in the list, not sessions that work. */
  async #end(account: string, keyHashes: readonly string[]): Promise<void> {
    if (keyHashes.length === 0) return;
    const { commands } = this.#redis;
    await Promise.all(keyHashes.map((keyHash) => commands.unlink(apiKeyRecord(keyHash))));
    await commands.zrem(accountKeys.sessions(account), ...keyHashes);
  }
}
