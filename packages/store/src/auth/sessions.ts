/** Console sessions, stored in the form of API keys, so that the same scripts admit and revoke them. The secret is only in one browser's cookie. */
import { bucketSize, type BucketState } from '../keys/admissions.js';
import { sessionKeyId } from '../keys/api-keys.js';
import { guarded } from '../redis/errors.js';
import { newSecret, sha256Short } from '../redis/ids.js';
import { accountKeys, apiKeyRecord } from '../redis/keys.js';
import type { Connections } from '../redis/connections.js';
import { redisTimeMs } from '../redis/in-time.js';

const sessionsMax = 100;

export const sessionLifeMs = 30 * 24 * 3_600_000;

const userAgentCharsMax = 300;

/** As its owner sees it. Times in Redis ms. */
export interface SessionRecord {
  /** Derived from the hash of the secret, which it does not reveal. */
  id: string;
  keyHash: string;
  createdAt: number;
  expiresAt: number;
  /** With a resolution of one minute; null: not since the sign-in. */
  lastUsed: number | null;
  /** As the browser sent it at the sign-in; '' if it sent none, or signed in before 0.10.0. */
  userAgent: string;
}

export class Sessions {
  readonly #redis: Connections;

  constructor(redis: Connections) {
    this.#redis = redis;
  }

  /** The secret can be read only here. The list first: a crash leaves an entry without a session, never a session that cannot be revoked. */
  async begin(account: string, userAgent = ''): Promise<{ secret: string; keyHash: string }> {
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
        .hset(apiKeyRecord(keyHash), {
          account,
          id: sessionKeyId,
          name: '',
          robots: '*',
          created_at: now,
          expires_at: expiresAt,
          ...(userAgent === '' ? {} : { user_agent: userAgent.slice(0, userAgentCharsMax) }),
        })
        .pexpireat(apiKeyRecord(keyHash), expiresAt)
        .exec();
      // A command refused inside a MULTI does not reject; a session without its expiry must not exist.
      for (const [error] of made ?? []) if (error) throw error;
    });
    return { secret, keyHash };
  }

  /**
   * Takes actions from the bucket of the account, which all its sessions share: the bucket of the record of each would let an account act as fast as it
   * has sessions.
   * @returns retryAfterS: 0 if they were taken, else whole seconds, at least 1
   */
  async take(account: string, cost: number): Promise<BucketState & { retryAfterS: number }> {
    const reply = await guarded(() => this.#redis.script('pageTake', [accountKeys.pageBucket(account)], [...bucketSize, cost]));
    const [remaining, resetS, retryAfterS] = reply.split(' ').map(Number) as [number, number, number];
    return { remaining, resetS, retryAfterS };
  }

  /** Latest sign-in first. */
  async list(account: string): Promise<SessionRecord[]> {
    const { commands } = this.#redis;
    return guarded(async () => {
      const keyHashes = await commands.zrange(accountKeys.sessions(account), '0', '-1');
      const records = await Promise.all(
        keyHashes.map((keyHash) => commands.hmget(apiKeyRecord(keyHash), 'account', 'created_at', 'expires_at', 'last_used', 'user_agent')),
      );
      return records
        .flatMap(([owner, createdAt, expiresAt, lastUsed, userAgent], i) =>
          // The record of a session that expired, or is just being created, does not exist.
          owner === account
            ? [
                {
                  id: idOf(keyHashes[i]!),
                  keyHash: keyHashes[i]!,
                  createdAt: Number(createdAt),
                  expiresAt: Number(expiresAt),
                  lastUsed: typeof lastUsed === 'string' ? Number(lastUsed) : null,
                  userAgent: userAgent ?? '',
                },
              ]
            : [],
        )
        .toSorted((a, b) => b.createdAt - a.createdAt || a.id.localeCompare(b.id));
    });
  }

  /** On disk when this resolves, as far as `durably` can know. */
  async end(account: string, keyHash: string): Promise<void> {
    await this.#redis.durably([apiKeyRecord(keyHash)], () => guarded(() => this.#end(account, [keyHash])));
  }

  /** @param except session that stays @returns how many sessions were listed, some of which may have expired */
  async endAll(account: string, except: string | null = null): Promise<number> {
    const listed = await guarded(() => this.#redis.commands.zrange(accountKeys.sessions(account), '0', '-1'));
    const ended = listed.filter((keyHash) => keyHash !== except);
    await this.#redis.durably(
      ended.map((keyHash) => apiKeyRecord(keyHash)),
      () => guarded(() => this.#end(account, ended)),
    );
    return ended.length;
  }

  /** The records go first: a crash in between leaves entries in the list, not sessions that work. */
  async #end(account: string, keyHashes: readonly string[]): Promise<void> {
    if (keyHashes.length === 0) return;
    const { commands } = this.#redis;
    await Promise.all(keyHashes.map((keyHash) => commands.unlink(apiKeyRecord(keyHash))));
    await commands.zrem(accountKeys.sessions(account), ...keyHashes);
  }
}

function idOf(keyHash: string): string {
  return `s-${sha256Short(keyHash).slice(0, 16)}`;
}

/** Browsers that signed in before ("device cookies", OWASP): others' guesses do not lock out the owner. Their hashed secrets grant nothing. */
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
