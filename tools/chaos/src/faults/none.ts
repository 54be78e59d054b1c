/** No fault: a violation in such a round is a defect of the service or of the checker. */
import type { Fault } from './fault.js';

export const none: Fault = {
  kind: 'none',
  on: 'both',
  inject: (_world, random) =>
    Promise.resolve({ what: 'nothing', holdMs: random.between(1000, 2000), lostSince: () => null, tookOver: false, heal: () => Promise.resolve() }),
};
