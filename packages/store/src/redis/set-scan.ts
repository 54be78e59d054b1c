/** Reads large sets in parts: SMEMBERS would block Redis and this instance for the whole set. */
import { guarded } from './guarded.js';
import type { Connections } from './connections.js';

/** Approximately; a set stored as a list (up to 128 members) is always returned whole. */
const scannedAtOnce = 500;

/** Reads one part; cursor '0' starts the scan and marks its end. */
export async function scanSet(redis: Pick<Connections, 'commands'>, key: string, cursor: string): Promise<{ members: string[]; next: string }> {
  const [next, members] = await guarded(() => redis.commands.sscan(key, cursor, 'COUNT', scannedAtOnce));
  return { members, next };
}

/** Yields the members that stay in the set during the scan; one may be repeated if the set changes size meanwhile. */
export async function* scannedSet(redis: Pick<Connections, 'commands'>, key: string): AsyncGenerator<string[]> {
  let cursor = '0';
  do {
    const { members, next } = await scanSet(redis, key, cursor);
    yield members;
    cursor = next;
  } while (cursor !== '0');
}

export function slicesOf<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));
}
