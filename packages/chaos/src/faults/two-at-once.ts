/** Two faults of different families at the same time, healed at the same time. */
import { processFaults, lineFaults, redisFaults, robotFaults } from './families.js';
import type { Fault, Injected } from './fault.js';

const families = [processFaults, lineFaults, redisFaults, robotFaults];

export const twoAtOnce: Fault = {
  kind: 'two-at-once',
  on: 'both',
  async inject(world, random) {
    const fitting = families.map((family) => family.filter(({ on }) => on === 'both' || on === world.system.shape));
    const faults = random
      .shuffle(fitting)
      .slice(0, 2)
      .map((family) => random.pick(family));
    const injected: Injected[] = [];
    const heal = async (): Promise<void> => {
      // Side by side: what one needs to be healed may be what the other took away.
      const ends = await Promise.allSettled(injected.map((one) => one.heal()));
      for (const end of ends) if (end.status === 'rejected') throw end.reason;
    };
    try {
      for (const fault of faults) injected.push(await fault.inject(world, random.fork(fault.kind)));
    } catch (error) {
      await heal();
      throw error;
    }
    return {
      what: faults.map(({ kind }, i) => `${kind}: ${injected[i]!.what}`).join(' and '),
      holdMs: Math.max(...injected.map(({ holdMs }) => holdMs)),
      lostSince() {
        const losses = injected.map((one) => one.lostSince()).filter((since) => since !== null);
        return losses.length === 0 ? null : Math.min(...losses);
      },
      heal,
    };
  },
};
