/** Repeatedly cuts one of an instance's connections to Redis (commands, subscriptions or jobs), and leaves the others. */
import { defineFault } from '../define-fault.js';
import { draw, redis } from './connections.js';

const againMs = [300, 1200] as const;

export const cutRedisConnection = defineFault('cut-redis-line', 'single', ({ system }, random, undo) => {
  const { victim, proxy } = draw(system, random, redis);
  undo.impair(redis.track(victim));
  const cut = (): void => {
    if (proxy.connections.length > 0) random.pick(proxy.connections).cut();
  };
  const timer = setInterval(cut, random.between(...againMs));
  undo.add(() => clearInterval(timer));
  cut();
  return Promise.resolve({ what: `${victim.place} repeatedly loses a connection to Redis`, holdMs: random.between(0, 4000) });
});
