/** Makes some robots misbehave for a while; the others must not be affected. */
import { defineFault } from '../define-fault.js';
import type { Fault, Misbehaviour } from '../fault.js';

export function misbehavingRobots(misbehaviour: Misbehaviour): Fault {
  return defineFault(`robot-${misbehaviour}`, 'both', ({ robots }, random, undo) => {
    const some = random.shuffle(robots.ids).slice(0, random.int(1, Math.ceil(robots.ids.length / 2)));
    undo.add(robots.misbehave(some, misbehaviour));
    return Promise.resolve({ what: `${some.length} robots: ${misbehaviour}`, holdMs: random.between(1500, 4000) });
  });
}
