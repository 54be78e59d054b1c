/** The limits are coarse, since garbage collection cannot be forced. */
import type { Snapshot } from './snapshot.js';

const rssFactor = 1.5;
const rssMbMore = 64;
/** Half of the memory that docker-compose.yml and the chart give a renderer: what it keeps depends on the largest pictures it drew, which the warm-up does not draw. */
const rendererRssMbMax = 1024;
const filesMore = 12;
/** Permanent Redis keys of one robot: record, lease, log, events, waits, saved. */
const keysPerRobot = 7;
/** Queues, quotas, sets. */
const keysMore = 60;
/** A robot's 1,000 events, and the pictures and sounds an account may store. */
const redisMbPerRobot = 1.5;
const redisMbMore = 64;
const loopDelayMsMax = 250;

/** @param warm at rest after the warm-up @param after at rest again @param robots in Redis @param keysLeft other keys that may remain */
export function growthProblems(warm: Snapshot, after: Snapshot, robots: number, keysLeft = 0): string[] {
  const problems: string[] = [];
  const over = (what: string, value: number, max: number): void => {
    if (value > max) problems.push(`${what}: ${value}, at most ${Math.round(max)}`);
  };
  for (const [service, rssMb] of Object.entries(after.rssMb))
    over(`${service}, resident MB`, rssMb, service === 'renderer' ? rendererRssMbMax : (warm.rssMb[service] ?? 0) * rssFactor + rssMbMore);
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
