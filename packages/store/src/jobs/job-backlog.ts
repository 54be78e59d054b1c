/** The backlog of a queue: its number of waiting jobs and the age of the oldest. */
import { sharedKeys } from '../keys.js';
import type { Connections } from '../redis/connections.js';

export interface JobBacklog {
  waiting: number;
  /**
   * When the oldest job was created, or was due if it was delayed: ms since 1970 on the clock of the machine that created it. Null if none waits for
   * a worker.
   */
  oldestAt: number | null;
}

/** Maximum number of jobs visited at each end of a list; in a list more than twice as long, the oldest job may be older than reported. */
const lookedAtMax = 500;

/**
 * Reads the backlog of a queue in the first `shards` job shards, with one command each.
 * @param scheduled where the queue keeps jobs that are not next in line: by priority, or delayed
 * @throws {StoreError} when Redis does not answer
 */
export async function backlogOf(redis: Connections, queue: string, scheduled: 'prioritized' | 'delayed', shards: number): Promise<JobBacklog> {
  const read = await Promise.all(
    Array.from({ length: shards }, async (_, shard) => {
      const prefix = `${sharedKeys.jobs(shard)}:${queue}`;
      return (await redis.script(
        'jobBacklog',
        [`${prefix}:wait`, `${prefix}:${scheduled}`],
        [`${prefix}:`, lookedAtMax, scheduled === 'delayed' ? 1 : ''],
      )) as [number, string];
    }),
  );
  const times = read.flatMap(([, oldest]) => (oldest === '' ? [] : [Number(oldest)]));
  return { waiting: read.reduce((sum, [count]) => sum + count, 0), oldestAt: times.length === 0 ? null : Math.min(...times) };
}
