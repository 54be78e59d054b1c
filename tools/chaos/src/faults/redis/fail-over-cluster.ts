/** An orderly failover, as an operator would run it: master and replica agree on the last write, so that nothing is lost. */
import { until } from '@perch/testkit';
import { defineFault } from '../define-fault.js';
import { nameOf, servedTracks } from './redis-node.js';

/** Redis abandons a failover after 5 s. */
const againMs = 5500;

export const failOverCluster = defineFault('fail-over-cluster', 'cluster', async ({ system }, random, undo) => {
  const masters = await system.redis.masters();
  const replica = random.pick(system.redis.nodes.filter((node) => !masters.includes(node)));
  undo.impair(...servedTracks(system));
  let askedAt = -Infinity;
  const isMaster = async (): Promise<boolean> => {
    if ((await system.redis.masters()).includes(replica)) return true;
    if (performance.now() - askedAt < againMs) return false;
    await replica.ask(['CLUSTER', 'FAILOVER']);
    askedAt = performance.now();
    return false;
  };
  await until(isMaster, { timeoutMs: 4 * againMs, everyMs: 25, what: `${nameOf(replica)} to be a master` });
  return { what: `${nameOf(replica)} takes its master's place`, holdMs: random.between(0, 2000) };
});
