/** Replaces the secret of a key; the former one keeps working during an overlap. */
import type { ChainableCommander } from 'ioredis';
import { newSecret, sha256Short } from '../redis/ids.js';
import { accountKeys, apiKeyRecord } from '../redis/keys.js';
import type { Connections } from '../redis/connections.js';
import { guarded } from '../redis/errors.js';
import { inTime, redisTimeMs } from '../redis/in-time.js';
import type { Webhooks } from '../webhooks/webhooks.js';
import { entryOf, hashesOf, replaceEntry, restoredRecord } from './api-keys.js';

/** Fields of the record that belong to one secret. */
const ofOneSecret = ['bucket', 'last_used', 'former_until', 'ended_by', 'pending'];

/** Life of a new secret until it is confirmed, far beyond the time that a replacement takes. */
const pendingMsDefault = 60_000;
/** How many times as long the former secret works at least until then, so that it can become the key again. */
const formerLives = 10;

export interface RolledKey {
  apiKey: string;
  /** Redis ms; null: no longer. */
  formerUntil: number | null;
}

export class KeyRotation {
  readonly #redis: Connections;
  readonly #webhooks: Pick<Webhooks, 'createdBy' | 'creditTo'>;
  readonly #pendingMs: number;

  constructor(redis: Connections, webhooks: Pick<Webhooks, 'createdBy' | 'creditTo'>, pendingMs = pendingMsDefault) {
    this.#redis = redis;
    this.#webhooks = webhooks;
    this.#pendingMs = pendingMs;
  }

  /**
   * A secret before the one before ends at once. Durable. Returns null if the account has no such key, 'changed' if another call replaced its secret
   * meanwhile, and 'client' if an OAuth client has the key, which replaces its tokens itself. The new secret expires unless it is kept, which comes after
   * the end of the one before is set: after a crash at any point either both have happened, or the new secret expires and the key is as it was
   * (`restoredRecord`). A new secret that is not returned does not work.
   */
  async roll(account: string, id: string, overlapMs: number): Promise<RolledKey | 'changed' | 'client' | null> {
    const { commands } = this.#redis;
    const text = await guarded(() => commands.hget(accountKeys.apiKeys(account), id));
    if (text === null) return null;
    const entry = entryOf(text);
    const apiKey = newSecret('pk_');
    const keyHash = sha256Short(apiKey);
    const [current, next] = [apiKeyRecord(entry.keyHash), apiKeyRecord(keyHash)];
    const listed = `${keyHash} ${entry.createdAt} ${entry.keyHash}`;
    const endAt = (at: number) => guarded(() => this.#redis.script('keyEnd', [current], [keyHash, 'end', at]));
    /** `endsAt`: until then the former secret works unless it is ended, which is too early until the new one is on disk. */
    const make = async (): Promise<{ formerUntil: number | null; endsAt: number } | 'restored' | 'changed' | 'client' | null> => {
      const [record, now] = await guarded(() => Promise.all([commands.hgetall(current), redisTimeMs(this.#redis)]));
      if (record['account'] === undefined && (await guarded(() => restoredRecord(this.#redis, account, id, text))) !== null) return 'restored';
      if (record['account'] !== account) return null;
      if (record['client'] !== undefined) return 'client';
      // Another call has not confirmed its new secret yet, or never will.
      if (record['pending'] !== undefined) return 'changed';
      const ends = record['expires_at'] === undefined ? null : Number(record['expires_at']);
      const formerUntil = overlapMs === 0 ? null : Math.min(Math.floor(now + overlapMs), ends ?? Infinity);
      for (const field of ofOneSecret) delete record[field];
      const pendingUntil = Math.floor(now + this.#pendingMs);
      const fields = { ...record, pending: '1', ...(formerUntil !== null && { former_until: String(formerUntil) }) };
      await guarded(() => this.#run(commands.multi().hset(next, fields).pexpireat(next, pendingUntil)));
      // Before it is in no list any more.
      if (entry.formerHash !== null) await guarded(() => commands.unlink(apiKeyRecord(entry.formerHash!)));
      const rolled = await guarded(() => replaceEntry(this.#redis, account, id, text, listed));
      if (rolled !== 'rolled') {
        await guarded(() => commands.unlink(next));
        return rolled === 'changed' ? 'changed' : null;
      }
      const restorableUntil = Math.floor(now + formerLives * this.#pendingMs);
      const endsAt = Math.min(Math.max(formerUntil ?? 0, restorableUntil), ends ?? Infinity);
      await endAt(endsAt);
      // Else the new secret has expired: this process was paused for that long, or the key was revoked.
      return (await inTime(this.#redis, 'recordKeep', [next], [ends ?? ''])) === 1 ? { formerUntil, endsAt } : 'changed';
    };
    const undo = async (): Promise<void> => {
      await guarded(() => commands.unlink(next));
      await guarded(() => restoredRecord(this.#redis, account, id, listed));
    };
    const rolled = await this.#redis.durably([next, current, accountKeys.apiKeys(account)], make, undo);
    if (rolled === 'restored') return this.roll(account, id, overlapMs);
    if (rolled === null || typeof rolled === 'string') return rolled;
    const { formerUntil, endsAt } = rolled;
    const end = () => (formerUntil === null ? guarded(() => commands.unlink(current)) : endAt(formerUntil));
    // From here on only the caller can get the new secret, whatever fails.
    const isEnded =
      formerUntil === endsAt ||
      (await this.#redis.durably([current], end).then(
        () => true,
        () => false,
      ));
    // Repeated by the next replacement of the secret.
    for (const each of hashesOf(text)) await this.#webhooks.creditTo(account, each, keyHash).catch(() => {});
    return { apiKey, formerUntil: isEnded ? formerUntil : endsAt };
  }

  /** Ends the overlap. Durable. Returns false if no secret but the newest works. */
  async endFormer(account: string, id: string): Promise<boolean> {
    const { commands } = this.#redis;
    const text = await guarded(() => commands.hget(accountKeys.apiKeys(account), id));
    const { keyHash, formerHash } = entryOf(text ?? '');
    if (text === null || formerHash === null) return false;
    // Until its secret is confirmed, the one before is the only one that anybody has.
    const [owner, pending, client] = await guarded(() => commands.hmget(apiKeyRecord(keyHash), 'account', 'pending', 'client'));
    if (owner !== account || typeof pending === 'string' || typeof client === 'string') return false;
    const former = apiKeyRecord(formerHash);
    await this.#webhooks.creditTo(account, formerHash, keyHash);
    return this.#redis.durably([former], async () => {
      const ended = await guarded(() => commands.unlink(former));
      await guarded(() => commands.hdel(apiKeyRecord(keyHash), 'former_until'));
      return ended === 1;
    });
  }

  /** A command refused inside a MULTI does not reject. */
  async #run(write: ChainableCommander): Promise<void> {
    for (const [error] of (await write.exec()) ?? []) if (error) throw error;
  }
}
