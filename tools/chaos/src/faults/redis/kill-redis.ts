import { defineFault } from '../define-fault.js';
import { nameOf, servedTracks, unwrittenMs } from './redis-node.js';

export const killRedis = defineFault('kill-redis', 'single', async ({ system }, random, undo) => {
  const server = random.pick(system.redis.nodes);
  undo.impair(...servedTracks(system));
  undo.add(() => server.restart());
  const killedAt = performance.now();
  await server.kill();
  return { what: `SIGKILL ${nameOf(server)}`, holdMs: random.between(0, 4000), lostSince: () => killedAt - unwrittenMs };
});
