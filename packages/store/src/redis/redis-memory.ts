import type { Redis } from 'ioredis';
import { mastersOf } from './cluster-nodes.js';
import type { Connections } from './connections.js';
import { addressOf } from './redis-vitals.js';

export interface MasterMemory {
  /** `host:port` */
  master: string;
  bytes: number;
  bytesMax: number | null;
  /** Keys evicted since the master was started. */
  evictedKeys: number | null;
}

/** Omits masters that do not reply. */
export async function memoryOfMasters({ commands }: Pick<Connections, 'commands'>): Promise<MasterMemory[]> {
  const read = await Promise.allSettled(mastersOf(commands).map((master) => memoryOf(master)));
  return read.flatMap((each) => (each.status === 'fulfilled' && each.value !== null ? [each.value] : []));
}

async function memoryOf(redis: Redis): Promise<MasterMemory | null> {
  const info = (await Promise.all(['memory', 'stats'].map((section) => redis.info(section)))).join('\r\n');
  const field = (name: string): number => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1]);
  const [bytes, bytesMax, evictedKeys] = [field('used_memory'), field('maxmemory'), field('evicted_keys')];
  if (Number.isNaN(bytes)) return null;
  return { master: addressOf(redis), bytes, bytesMax: bytesMax > 0 ? bytesMax : null, evictedKeys: Number.isNaN(evictedKeys) ? null : evictedKeys };
}
