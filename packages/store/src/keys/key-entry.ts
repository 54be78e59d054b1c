import { accountKeys } from '../keys.js';
import type { Connections } from '../redis/connections.js';

/** An entry of an account's list of keys: `<hash> <created at>`, after a new secret also the hash of the one before. 0.9.0 reads the first two. */
export interface KeyEntry {
  keyHash: string;
  createdAt: string;
  formerHash: string | null;
}

export function entryOf(text: string): KeyEntry {
  const [keyHash = '', createdAt = '', formerHash = null] = text.split(' ');
  return { keyHash, createdAt, formerHash };
}

export function hashesOf(text: string): string[] {
  const { keyHash, formerHash } = entryOf(text);
  return formerHash === null ? [keyHash] : [keyHash, formerHash];
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
  return (await redis.script('keyRoll', keys, [id, read, entry ?? ''])) as 'rolled' | 'changed' | 'removing';
}
