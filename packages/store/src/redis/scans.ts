/** Reads large sets, and all keys, in parts: SMEMBERS and KEYS would block Redis and this instance for the whole. */
import { guarded } from './errors.js';
import type { Connections } from './connections.js';
import { mastersOf } from './cluster-nodes.js';

/** Approximately; a set stored as a list (up to 128 members) is always returned whole. */
const membersAtOnce = 500;

/** Reads one part; cursor '0' starts the scan and marks its end. */
export async function scanSet(redis: Pick<Connections, 'commands'>, key: string, cursor: string): Promise<{ members: string[]; next: string }> {
  const [next, members] = await guarded(() => redis.commands.sscan(key, cursor, 'COUNT', membersAtOnce));
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

const keysAtOnce = 1000;

/** Yields the keys that exist throughout the scan; a name may be repeated. */
export async function* scannedKeys({ commands }: Pick<Connections, 'commands'>, match = 'perch:*'): AsyncGenerator<string[]> {
  for (const node of mastersOf(commands)) {
    let cursor = '0';
    do {
      const from = cursor;
      const [next, names] = await guarded(() => node.scan(from, 'MATCH', match, 'COUNT', keysAtOnce));
      if (names.length > 0) yield names;
      cursor = next;
    } while (cursor !== '0');
  }
}
