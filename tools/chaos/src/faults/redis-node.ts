/** What redis faults have in common: which server, and whom it spoils. */
import { askRedis, type LocalRedis } from '@perch/local-redis';
import type { Random } from '../random.js';
import type { Instance } from '../system/instance.js';
import type { System } from '../system/system.js';
import type { Track } from '../system/spans.js';

/**
 * What a killed Redis had acknowledged and not yet written: its append-only file is written before it answers, but for the at most 2 s in which
 * it waits for the disk (`appendfsync everysec`), ms.
 */
export const unwrittenMs = 2000;

/** The one server, or a master of the Cluster. */
export async function aMaster({ redis }: System, random: Random): Promise<LocalRedis> {
  return random.pick(await redis.masters());
}

/** Redis is everybody's. */
export function servedTracks({ instances }: { instances: readonly Instance[] }): Track[] {
  return instances.map(({ served }) => served);
}

export async function setConfig({ port }: LocalRedis, name: string, value: string): Promise<void> {
  await askRedis(port, ['CONFIG', 'SET', name, value]);
}

export function nameOf({ port }: LocalRedis): string {
  return `Redis at port ${port}`;
}
