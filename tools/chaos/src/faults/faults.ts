/** Every fault, in the order of the help and the documents. */
import { accountFaults, lineFaults, operationFaults, processFaults, redisFaults, robotFaults } from './families.js';
import type { Fault } from './fault.js';
import { none } from './none.js';
import { twoAtOnce } from './two-at-once.js';

export const faults: readonly Fault[] = [
  none,
  ...processFaults,
  ...operationFaults,
  ...lineFaults,
  ...redisFaults,
  ...accountFaults,
  ...robotFaults,
  twoAtOnce,
];
