/**
 * A replica takes the master's place behind the same address, as at the primary endpoint of a managed Redis: the former master keeps its clients and
 * refuses their writes. Both servers agree on the last write, so that nothing is lost.
 */
import type { LocalRedis } from '@perch/local-redis';
import { until } from '@perch/testkit';
import type { System } from '../../system/system.js';
import { defineFault } from '../define-fault.js';
import { nameOf, servedTracks } from './redis-node.js';

const withinMs = 20_000;

export const failOverAddress = defineFault('fail-over-address', 'single', async ({ system }, random, undo) => {
  const [server] = system.redis.nodes;
  const replica = await system.redis.startReplica();
  undo.add(() => replica.stop());
  undo.impair(...servedTracks(system));
  undo.add(() => takePlace(system, replica, server!));
  await takePlace(system, server!, replica);
  return {
    what: `${nameOf(replica)} takes the place of ${nameOf(server!)} behind one address`,
    holdMs: random.between(500, 6000),
    tookOver: true,
  };
});

/** New connections lead to the other server; open ones stay. */
async function takePlace(system: System, from: LocalRedis, to: LocalRedis): Promise<void> {
  const isIn = (server: LocalRedis, text: string) => async (): Promise<boolean> => (await server.ask(['INFO', 'replication'])).includes(text);
  await until(isIn(from, 'state=online'), { timeoutMs: withinMs, what: `${nameOf(to)} to be in sync` });
  await from.ask(['FAILOVER', 'TO', '127.0.0.1', String(to.port), 'TIMEOUT', '5000']);
  await until(isIn(to, 'role:master'), { timeoutMs: withinMs, what: `${nameOf(to)} to be the master` });
  for (const { redis } of system.instances) if (redis !== null) redis.target = { host: '127.0.0.1', port: to.port };
}
