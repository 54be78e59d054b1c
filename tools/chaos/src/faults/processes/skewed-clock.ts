/** An instance whose wall clock is wrong by minutes. Its monotonic clock is right. */
import { fileURLToPath } from 'node:url';
import { defineFault } from '../define-fault.js';
import type { Fault } from '../fault.js';

const preload = fileURLToPath(new URL('../../../preload/skewed-clock.mjs', import.meta.url));
const skewMs = [2 * 60_000, 45 * 60_000] as const;

export function skewClock(kind: string, sign: 1 | -1): Fault {
  return defineFault(kind, 'both', async ({ system }, random, undo) => {
    // BullMQ times the pauses of webhook senders by the machine's clock.
    const victim = random.pick(system.instances.filter(({ service }) => service !== 'webhooks'));
    const ms = sign * random.int(...skewMs);
    undo.add(() => victim.start());
    await victim.kill();
    undo.add(() => victim.kill());
    await victim.start({ NODE_OPTIONS: `--import=${preload}`, CHAOS_CLOCK_SKEW_MS: String(ms) });
    return { what: `${victim.place} runs ${Math.round(ms / 1000)} s ahead`, holdMs: random.between(2000, 4000) };
  });
}
