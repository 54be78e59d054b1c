/** In the order of the help and the documents. */
import { accountFaults, connectionFaults, operationFaults, processFaults, redisFaults, robotFaults } from './fault-table.js';
import type { Fault } from './fault.js';
import { none } from './none.js';
import { twoAtOnce } from './two-at-once.js';

export const faults: readonly Fault[] = [
  none,
  ...processFaults,
  ...operationFaults,
  ...connectionFaults,
  ...redisFaults,
  ...accountFaults,
  ...robotFaults,
  twoAtOnce,
];
