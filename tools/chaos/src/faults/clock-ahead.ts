/** One instance's wall clock is minutes ahead. */
import { skewClock } from './clocks.js';

export const clockAhead = skewClock('clock-ahead', 1);
