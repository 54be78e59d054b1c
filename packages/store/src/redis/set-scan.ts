/** Reads large sets without SMEMBERS, which would block Redis and this instance for the whole set at once. */
import { guarded } from './guarded.js';
import type { Connections } from './connections.js';

/** About how many members one SSCAN returns; a set that is stored as a list (up to 128 members) is always returned whole. */
const scannedAtOnce = 500;

/** Returns one part of a set and the cursor of the next; '0' is the cursor of the first part, and what the last part returns. */
export async function scanSet(redis: Pick<Connections, 'commands'>, key: string, cursor: string): Promise<{ members: string[]; next: string }> {
  const [next, members] = await guarded(() => redis.commands.sscan(key, cursor, 'COUNT', scannedAtOnce));
  return { members, next };
}

/** Yields every member that the set holds throughout, in parts; a member may come twice if the set changes size meanwhile. */
export async function* scannedSet(redis: Pick<Connections, 'commands'>, key: string): AsyncGenerator<string[]> {
  let cursor = '0';
  do {
    const { members, next } = await scanSet(redis, key, cursor);
    yield members;
    cursor = next;
  } while (cursor !== '0');
}

/** Cuts an array into slices. */
export function slicesOf<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));
}
