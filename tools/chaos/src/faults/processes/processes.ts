import type { Instance } from '../../system/instance.js';
import type { System } from '../../system/system.js';
import { defineFault } from '../define-fault.js';
import type { Fault } from '../fault.js';

export type Places = (system: System) => readonly Instance[];

/** A heartbeat is late after 3 s and expires after 6 s: values on both sides of each. */
const frozenMs = [3500, 8000] as const;

export function kill(kind: string, places: Places): Fault {
  return defineFault(kind, 'both', async ({ system }, random, undo) => {
    const victim = random.pick(places(system));
    undo.add(() => victim.start());
    await victim.kill();
    return { what: `SIGKILL ${victim.place}`, holdMs: random.between(0, 2500) };
  });
}

/** For longer than leases last. */
export function freeze(kind: string, places: Places): Fault {
  return defineFault(kind, 'both', async ({ system }, random, undo) => {
    const victim = random.pick(places(system));
    undo.add(await victim.freeze());
    return { what: `SIGSTOP ${victim.place}`, holdMs: random.between(...frozenMs) };
  });
}

export function drain(kind: string, places: Places): Fault {
  return defineFault(kind, 'both', ({ system }, random, undo) => {
    const victim = random.pick(places(system));
    const drained = victim.drain();
    undo.add(() => drained.then(() => victim.start()));
    return Promise.resolve({ what: `SIGTERM ${victim.place}`, holdMs: random.between(500, 3000) });
  });
}
