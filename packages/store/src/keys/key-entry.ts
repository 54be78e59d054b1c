import { accountKeys, apiKeyRecord } from '../keys.js';
import type { Connections } from '../redis/connections.js';

/**
 * An entry of an account's list of keys: `<hash> <created at>`, after a new secret also the hash of the one before. Of an OAuth
 * client's grant (grants.ts): `<grant> <created at> <hash of the access token> <hash of the one before>`.
 */
export interface KeyEntry {
  keyHash: string;
  createdAt: string;
  formerHash: string | null;
  /** Hash of the access token before that in `formerHash`. */
  olderHash: string | null;
}

export function entryOf(text: string): KeyEntry {
  const [keyHash = '', createdAt = '', formerHash = null, olderHash = null] = text.split(' ');
  return { keyHash, createdAt, formerHash, olderHash };
}

export function hashesOf(text: string): string[] {
  const { keyHash, formerHash, olderHash } = entryOf(text);
  return [keyHash, formerHash, olderHash].filter((hash) => hash !== null);
}

/** Null removes the entry. Returns 'changed' if it is no longer as it was read. */
export async function replaceEntry(
  redis: Connections,
  account: string,
  id: string,
  read: string,
  entry: string | null,
): Promise<'rolled' | 'changed' | 'removing'> {
  const keys = [accountKeys.apiKeys(account), accountKeys.record(account)] as const;
  return redis.script('keyRoll', keys, [id, read, entry ?? '']);
}

/**
 * Undoes a replacement of a secret whose instance ended before it confirmed the new one, which has expired: the former secret is the key again, for as
 * long as before. Returns its record; null if there is nothing to undo.
 */
export async function restoredRecord(redis: Connections, account: string, id: string, read: string): Promise<Record<string, string> | null> {
  const { keyHash, createdAt, formerHash } = entryOf(read);
  if (formerHash === null) return null;
  const former = apiKeyRecord(formerHash);
  const record = await redis.commands.hgetall(former);
  if (record['account'] !== account) return null;
  // The secret before this one was ended by the replacement.
  await redis.commands.hdel(former, 'former_until');
  delete record['former_until'];
  // Before the entry, which leads here again after a crash in between.
  await redis.script('keyEnd', [former], [keyHash, 'restore', record['expires_at'] ?? '']);
  return (await replaceEntry(redis, account, id, read, `${formerHash} ${createdAt}`)) === 'rolled' ? record : null;
}
