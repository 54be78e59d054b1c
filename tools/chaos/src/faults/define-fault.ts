/** Builds a fault from its action; undoing it, exactly once and in any case, is the same for all faults. */
import type { Random } from '../random.js';
import type { Fault, FaultEnvironment } from './fault.js';
import { Undo } from './undo.js';

export interface Done {
  what: string;
  holdMs: number;
  /** See `Injected.lostSince`. Default: nothing is lost. */
  lostSince?: () => number | null;
}

/** Time in which everything must run and answer again after healing, ms. */
const settlesWithinMs = 20_000;

/**
 * @param act injects the fault, and registers with `undo` how to revert each step before it takes the next one; if it throws, the registered steps
 * are reverted
 */
export function defineFault(kind: string, on: Fault['on'], act: (environment: FaultEnvironment, random: Random, undo: Undo) => Promise<Done>): Fault {
  return {
    kind,
    on,
    async inject(environment, random) {
      const undo = new Undo();
      try {
        const { what, holdMs, lostSince = () => null } = await act(environment, random, undo);
        let healed: Promise<void> | null = null;
        return { what, holdMs, lostSince, heal: () => (healed ??= heal(environment, undo)) };
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
    // An instance that is not ready by then is a finding of the round, not a fault that could not be healed.
    await system.settled(settlesWithinMs).catch(() => undefined);
  } finally {
    undo.recover();
  }
}
