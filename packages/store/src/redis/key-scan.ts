import { mastersOf } from './cluster-nodes.js';
import { guarded } from './guarded.js';
import type { Connections } from './connections.js';

const scannedAtOnce = 1000;

/** Yields the keys that exist throughout the scan; a name may be repeated. */
export async function* scannedKeys({ commands }: Pick<Connections, 'commands'>, match = 'perch:*'): AsyncGenerator<string[]> {
  for (const node of mastersOf(commands)) {
    let cursor = '0';
    do {
      const from = cursor;
      const [next, names] = await guarded(() => node.scan(from, 'MATCH', match, 'COUNT', scannedAtOnce));
      if (names.length > 0) yield names;
      cursor = next;
    } while (cursor !== '0');
  }
}
