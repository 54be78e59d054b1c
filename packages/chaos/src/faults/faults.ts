/** Every fault, in the order in which help and documents list them. */
import type { Fault } from './fault.js';
import { none } from './none.js';

export const faults: readonly Fault[] = [none];
