import { sharedKeys } from '../keys.js';
import type { Connections } from '../redis/connections.js';

export interface JobBacklog {
  waiting: number;
  /** When the oldest job was created, or was due: ms since 1970 on the clock of the machine that created it. Null if none waits for a worker. */
  oldestAt: number | null;
}

/** Jobs visited at each end of a list; in one more than twice as long, the oldest job may be older than reported. */
const visitedMax = 500;

/** Sends one command a shard. @param scheduled where the queue keeps jobs that are not next: by priority, or delayed */
export async function backlogOf(redis: Connections, queue: string, scheduled: 'prioritized' | 'delayed', shards: number): Promise<JobBacklog> {
  const read = await Promise.all(
    Array.from({ length: shards }, (_, shard) => {
      const prefix = `${sharedKeys.jobs(shard)}:${queue}`;
      return redis.script('jobBacklog', [`${prefix}:wait`, `${prefix}:${scheduled}`], [`${prefix}:`, visitedMax, scheduled === 'delayed' ? 1 : '']);
    }),
  );
  const times = read.flatMap(([, oldest]) => (oldest === '' ? [] : [Number(oldest)]));
  return { waiting: read.reduce((sum, [count]) => sum + count, 0), oldestAt: times.length === 0 ? null : Math.min(...times) };
}
