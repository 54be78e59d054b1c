/** Moves busy robots from robot-link to robot-link without a close handshake, repeatedly. */
import { defineFault } from '../define-fault.js';

const againMs = [200, 1500] as const;

export const robotTakeOver = defineFault('robot-take-over', 'both', ({ system, robots }, random, undo) => {
  const move = (): void => {
    const some = robots.ids.filter(() => random.chance(0.5));
    robots.moveTo(some, random.pick(system.links).url);
  };
  const timer = setInterval(move, random.between(...againMs));
  undo.add(() => clearInterval(timer));
  move();
  return Promise.resolve({ what: 'half of the robots move to another robot-link repeatedly', holdMs: random.between(500, 4000) });
});
