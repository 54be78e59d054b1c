/** Faults of Redis that consist of operator commands. */
import { defineFault } from './define-fault.js';
import type { Fault } from './fault.js';
import { servedTracks } from './redis-node.js';

/** Sends the command repeatedly while the fault holds. */
export function commandAgain(kind: string, words: readonly string[], everyMs: readonly [min: number, max: number]): Fault {
  return defineFault(kind, 'both', async ({ system }, random, undo) => {
    undo.spoil(...servedTracks(system));
    // Errors are ignored: a second fault may have taken Redis away.
    const tell = (): void => void system.redis.tell(words).catch(() => undefined);
    const timer = setInterval(tell, random.between(...everyMs));
    undo.add(() => clearInterval(timer));
    await system.redis.tell(words);
    return { what: `${words.join(' ')} again and again`, holdMs: random.between(0, 3000) };
  });
}
