import { processFaults, connectionFaults, redisFaults, robotFaults } from './fault-table.js';
import type { Random } from '../random.js';
import type { RedisShape } from '../system/system.js';
import type { Fault, Injected } from './fault.js';

/** Process faults are injected first: a process that a fault restarts needs its Redis. */
const families = [processFaults, connectionFaults, redisFaults, robotFaults];

/** In the order in which they are injected. */
export function twoFaults(random: Random, shape: RedisShape): Fault[] {
  return random
    .shuffle(families)
    .slice(0, 2)
    .toSorted((a, b) => families.indexOf(a) - families.indexOf(b))
    .map((family) => random.pick(family.filter(({ on }) => on === 'both' || on === shape)));
}

export const twoAtOnce: Fault = {
  kind: 'two-at-once',
  on: 'both',
  async inject(environment, random) {
    const faults = twoFaults(random, environment.system.shape);
    const injected: Injected[] = [];
    const heal = async (): Promise<void> => {
      // Healing one may need what the other took away.
      const ends = await Promise.allSettled(injected.map((one) => one.heal()));
      for (const end of ends) if (end.status === 'rejected') throw end.reason;
    };
    try {
      for (const fault of faults) injected.push(await fault.inject(environment, random.fork(fault.kind)));
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
      tookOver: injected.some((one) => one.tookOver),
      heal,
    };
  },
};
