import { freeze } from '../../system/frozen.js';
import { defineFault } from '../define-fault.js';
import { nameOf, servedTracks } from './redis-node.js';

export const freezeRedis = defineFault('freeze-redis', 'single', async ({ system }, random, undo) => {
  const server = random.pick(system.redis.nodes);
  undo.impair(...servedTracks(system));
  undo.add(await freeze(server.pid));
  return { what: `SIGSTOP ${nameOf(server)}`, holdMs: random.between(600, 8000) };
});
