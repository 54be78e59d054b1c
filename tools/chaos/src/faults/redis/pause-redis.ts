/** Redis serves nothing, or no writes, for a while, and then everything it received. */
import { defineFault } from '../define-fault.js';
import { servedTracks } from './redis-node.js';

export const pauseRedis = defineFault('pause-redis', 'both', async ({ system }, random, undo) => {
  const holdMs = random.between(500, 5000);
  const mode = random.pick(['ALL', 'WRITE']);
  undo.impair(...servedTracks(system));
  undo.add(() => system.redis.sendToAll(['CLIENT', 'UNPAUSE']));
  await system.redis.sendToAll(['CLIENT', 'PAUSE', String(Math.ceil(holdMs) + 1000), mode]);
  return { what: `CLIENT PAUSE ${mode}`, holdMs };
});
