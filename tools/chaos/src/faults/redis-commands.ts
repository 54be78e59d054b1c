/** What a few commands of its operator do to everybody on Redis. */
import { defineFault } from './define-fault.js';
import type { Fault } from './fault.js';
import { servedTracks } from './redis-node.js';

/** The command is given again and again while the fault holds. */
export function commandAgain(kind: string, words: readonly string[], everyMs: readonly [min: number, max: number]): Fault {
  return defineFault(kind, 'both', async ({ system }, random, undo) => {
    undo.spoil(...servedTracks(system));
    // Where it goes unanswered, or Redis is gone, something else befell it meanwhile.
    const tell = (): void => void system.redis.tell(words).catch(() => undefined);
    const timer = setInterval(tell, random.between(...everyMs));
    undo.add(() => clearInterval(timer));
    await system.redis.tell(words);
    return { what: `${words.join(' ')} again and again`, holdMs: random.between(0, 3000) };
  });
}
