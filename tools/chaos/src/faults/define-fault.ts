/** Builds a fault from its action; undoing it, exactly once and in any case, is the same for all faults. */
import type { Random } from '../random.js';
import type { Fault, FaultEnvironment } from './fault.js';
import { Undo } from './undo.js';

export interface Done {
  what: string;
  holdMs: number;
  lostSince?: () => number | null;
  tookOver?: boolean;
}

/** Time after healing in which everything must run and answer again, ms. */
const settlesWithinMs = 20_000;

/** @param act registers with `undo` how to revert each step before it takes the next one; if it throws, the registered steps are reverted */
export function defineFault(kind: string, on: Fault['on'], act: (environment: FaultEnvironment, random: Random, undo: Undo) => Promise<Done>): Fault {
  return {
    kind,
    on,
    async inject(environment, random) {
      const undo = new Undo();
      try {
        const { what, holdMs, lostSince = () => null, tookOver = false } = await act(environment, random, undo);
        let healed: Promise<void> | null = null;
        return { what, holdMs, lostSince, tookOver, heal: () => (healed ??= heal(environment, undo)) };
      } catch (error) {
        await heal(environment, undo).catch(() => undefined);
        throw error;
      }
    },
  };
}

async function heal({ system }: FaultEnvironment, undo: Undo): Promise<void> {
  try {
    await undo.run();
    // Not ready by then is a finding of the round.
    await system.settled(settlesWithinMs).catch(() => undefined);
  } finally {
    undo.recover();
  }
}
