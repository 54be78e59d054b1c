/** A fault out of what it does: taking it back, once and whatever happened, is the same for all. */
import type { Random } from '../random.js';
import type { Fault, World } from './fault.js';
import { Undo } from './undo.js';

export interface Done {
  /** For the report: who, what. */
  what: string;
  holdMs: number;
  /** See `Injected.lostSince`. Default: nothing is lost. */
  lostSince?: () => number | null;
}

/** Everything runs and answers again within this, ms. */
const settlesWithinMs = 20_000;

/** @param act injects it, and tells `undo` how to take back each step before the next one; where it throws, what was told is taken back */
export function defineFault(kind: string, on: Fault['on'], act: (world: World, random: Random, undo: Undo) => Promise<Done>): Fault {
  return {
    kind,
    on,
    async inject(world, random) {
      const undo = new Undo();
      try {
        const { what, holdMs, lostSince = () => null } = await act(world, random, undo);
        let healed: Promise<void> | null = null;
        return { what, holdMs, lostSince, heal: () => (healed ??= heal(world, undo)) };
      } catch (error) {
        await heal(world, undo).catch(() => undefined);
        throw error;
      }
    },
  };
}

async function heal({ system }: World, undo: Undo): Promise<void> {
  try {
    await undo.run();
    // Who is not well again by then is the round's finding, not a fault that could not be healed.
    await system.settled(settlesWithinMs).catch(() => undefined);
  } finally {
    undo.recover();
  }
}
