/** Replaces the secret of a key; the former one keeps working during an overlap. */
import { newSecret, sha256Short } from '../ids.js';
import { accountKeys, apiKeyRecord } from '../keys.js';
import type { Connections } from '../redis/connections.js';
import { guarded } from '../redis/guarded.js';
import { redisTimeMs } from '../redis/redis-time.js';
import type { Webhooks } from '../webhooks/webhooks.js';
import { entryOf, hashesOf, replaceEntry } from './key-entry.js';

/** Fields of the record that belong to one secret. */
const ofOneSecret = ['bucket', 'last_used', 'former_until'];

export interface RolledKey {
  apiKey: string;
  /** Redis ms; null: no longer. */
  formerUntil: number | null;
}

export class KeyRotation {
  readonly #redis: Connections;
  readonly #webhooks: Pick<Webhooks, 'createdBy' | 'creditTo'>;

  constructor(redis: Connections, webhooks: Pick<Webhooks, 'createdBy' | 'creditTo'>) {
    this.#redis = redis;
    this.#webhooks = webhooks;
  }

  /**
   * A secret before the previous one ends at once. Durable. Returns null if the account has no such key, and 'changed' if another call replaced its secret
   * meanwhile.
   */
  async roll(account: string, id: string, overlapMs: number): Promise<RolledKey | 'changed' | null> {
    const { commands } = this.#redis;
    const text = await guarded(() => commands.hget(accountKeys.apiKeys(account), id));
    if (text === null) return null;
    const entry = entryOf(text);
    const apiKey = newSecret('pk_');
    const [current, next] = [apiKeyRecord(entry.keyHash), apiKeyRecord(sha256Short(apiKey))];
    return this.#redis.durably([next, current, accountKeys.apiKeys(account)], async () => {
      const [record, now] = await guarded(() => Promise.all([commands.hgetall(current), redisTimeMs(this.#redis)]));
      if (record['account'] !== account) return null;
      const ends = record['expires_at'] === undefined ? null : Number(record['expires_at']);
      const formerUntil = overlapMs === 0 ? null : Math.min(Math.floor(now + overlapMs), ends ?? Infinity);
      for (const field of ofOneSecret) delete record[field];
      await guarded(() => this.#write(next, formerUntil === null ? record : { ...record, former_until: String(formerUntil) }, ends));
      const listed = `${sha256Short(apiKey)} ${entry.createdAt} ${entry.keyHash}`;
      const rolled = await guarded(() => replaceEntry(this.#redis, account, id, text, listed));
      if (rolled !== 'rolled') {
        await guarded(() => commands.unlink(next));
        return rolled === 'changed' ? 'changed' : null;
      }
      if (entry.formerHash !== null) await guarded(() => commands.unlink(apiKeyRecord(entry.formerHash!)));
      await guarded(() => (formerUntil === null ? commands.unlink(current) : commands.pexpireat(current, formerUntil)));
      for (const keyHash of hashesOf(text)) await this.#webhooks.creditTo(account, keyHash, sha256Short(apiKey));
      return { apiKey, formerUntil };
    });
  }

  /** Ends the overlap. Durable. Returns false if no secret but the newest works. */
  async endFormer(account: string, id: string): Promise<boolean> {
    const { commands } = this.#redis;
    const text = await guarded(() => commands.hget(accountKeys.apiKeys(account), id));
    const { keyHash, formerHash } = entryOf(text ?? '');
    if (text === null || formerHash === null) return false;
    const former = apiKeyRecord(formerHash);
    await this.#webhooks.creditTo(account, formerHash, keyHash);
    return this.#redis.durably([former], async () => {
      const ended = await guarded(() => commands.unlink(former));
      await guarded(() => commands.hdel(apiKeyRecord(keyHash), 'former_until'));
      return ended === 1;
    });
  }

  async #write(name: string, fields: Record<string, string>, expiresAt: number | null): Promise<void> {
    const write = this.#redis.commands.multi().hset(name, fields);
    if (expiresAt !== null) write.pexpireat(name, expiresAt);
    // A command refused inside a MULTI does not reject.
    for (const [error] of (await write.exec()) ?? []) if (error) throw error;
  }
}
