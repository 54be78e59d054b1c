/** A replica takes its master's place in good order, as an operator has it do; the two agree on the last write, so that nothing is lost. */
import { askRedis } from '@perch/local-redis';
import { until } from '@perch/testkit';
import { defineFault } from './define-fault.js';
import { nameOf, servedTracks } from './redis-node.js';

export const failOverCluster = defineFault('fail-over-cluster', 'cluster', async ({ system }, random, undo) => {
  const masters = await system.redis.masters();
  const replica = random.pick(system.redis.nodes.filter((node) => !masters.includes(node)));
  undo.spoil(...servedTracks(system));
  await askRedis(replica.port, ['CLUSTER', 'FAILOVER']);
  await until(async () => (await system.redis.masters()).includes(replica), { timeoutMs: 8000, what: 'the replica to be a master' });
  return { what: `${nameOf(replica)} takes its master's place`, holdMs: random.between(0, 2000) };
});
