import { defineFault } from '../define-fault.js';
import type { Fault } from '../fault.js';
import { servedTracks } from './redis-node.js';

export function repeatCommand(kind: string, words: readonly string[], everyMs: readonly [min: number, max: number]): Fault {
  return defineFault(kind, 'both', async ({ system }, random, undo) => {
    undo.impair(...servedTracks(system));
    // A second fault may have taken Redis away.
    const send = (): void => void system.redis.sendToAll(words).catch(() => undefined);
    const timer = setInterval(send, random.between(...everyMs));
    undo.add(() => clearInterval(timer));
    await system.redis.sendToAll(words);
    return { what: `${words.join(' ')} repeatedly`, holdMs: random.between(0, 3000) };
  });
}
