/** Whether the service is, after all that was sent, what it was before. The bounds are coarse: nobody can make a process collect its garbage. */
import type { Snapshot } from './snapshot.js';

/** Resident memory may be so much more than after the warm-up. */
const rssFactor = 1.5;
const rssMbMore = 64;
const filesMore = 12;
/** What one robot leaves in Redis for good: record, lease, log, events, waits, saved. */
const keysPerRobot = 7;
/** Queues, ledgers, sets. */
const keysMore = 60;
/** A robot's 1,000 events, and what an account may hold in pictures and sounds. */
const redisMbPerRobot = 1.5;
const redisMbMore = 64;
const loopDelayMsMax = 250;

/**
 * @param warm after the warm-up, at rest
 * @param after at rest again
 * @param robots how many there are in Redis
 * @param keysLeft what else lies there by right
 * @returns what grew, in sentences
 */
export function growthProblems(warm: Snapshot, after: Snapshot, robots: number, keysLeft = 0): string[] {
  const problems: string[] = [];
  const over = (what: string, value: number, max: number): void => {
    if (value > max) problems.push(`${what}: ${value}, at most ${Math.round(max)}`);
  };
  for (const [service, rssMb] of Object.entries(after.rssMb))
    over(`${service}, resident MB`, rssMb, (warm.rssMb[service] ?? 0) * rssFactor + rssMbMore);
  for (const [service, files] of Object.entries(after.files)) over(`${service}, open files`, files, (warm.files[service] ?? 0) + filesMore);
  for (const [gauge, value] of Object.entries(after.gauges)) {
    if (value !== warm.gauges[gauge]) problems.push(`${gauge}: ${value}, was ${warm.gauges[gauge]}`);
  }
  for (const [service, ms] of Object.entries(after.loopDelayMs)) over(`${service}, event loop late by ms`, ms, loopDelayMsMax);
  over('keys in Redis without an end', after.redis.lasting, warm.redis.lasting + robots * keysPerRobot + keysLeft + keysMore);
  over('Redis, MB', after.redis.usedMb, warm.redis.usedMb + robots * redisMbPerRobot + redisMbMore);
  over('answers with 500 that the gateway counted', after.internalErrors, 0);
  return problems;
}
