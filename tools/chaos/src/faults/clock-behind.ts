/** One instance's wall clock is minutes behind. */
import { skewClock } from './clocks.js';

export const clockBehind = skewClock('clock-behind', -1);
