/** As a NAT gateway: a connection on which nothing passed for some seconds is forgotten without a word, and stays open at both ends. */
import { defineFault } from '../define-fault.js';
import { draw, redis } from './connections.js';

export const forgetIdle = defineFault('forget-idle', 'single', ({ system }, random, undo) => {
  const { victim, proxy } = draw(system, random, redis);
  const idleMs = random.between(1500, 9000);
  undo.impair(redis.track(victim));
  undo.add(() => (proxy.conditions = {}));
  proxy.conditions = { forgetIdleMs: idleMs };
  const what = `connections of ${victim.place} to Redis are forgotten after ${Math.round(idleMs)} ms without a byte`;
  return Promise.resolve({ what, holdMs: idleMs + random.between(1000, 3000) });
});
