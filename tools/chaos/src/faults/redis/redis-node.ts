import type { LocalRedis } from '@perch/local-redis';
import type { Random } from '../../random.js';
import type { Instance } from '../../system/instance.js';
import type { System } from '../../system/system.js';
import type { Track } from '../../system/spans.js';

/** Redis writes its append-only file before it replies, except for up to 2 s in which it waits for the disk (`appendfsync everysec`). */
export const unwrittenMs = 2000;

export async function aMaster({ redis }: System, random: Random): Promise<LocalRedis> {
  return random.pick(await redis.masters());
}

export function servedTracks({ instances }: { instances: readonly Instance[] }): Track[] {
  return instances.map(({ served }) => served);
}

export async function setConfig(server: LocalRedis, name: string, value: string): Promise<void> {
  await server.ask(['CONFIG', 'SET', name, value]);
}

export function nameOf({ port }: LocalRedis): string {
  return `Redis at port ${port}`;
}
