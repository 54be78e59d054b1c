/** What a burst of acceleration means: shaken, picked up, or nothing (a knock on the table, a tilt, a bump, being carried or set down). */
import { thinned, type Sample } from './acceleration.js';
import { isLifted } from './lifting.js';
import { isShaken } from './shaking.js';

/** Below, a swing lies between two samples. */
const hzMin = 10;
/** What a hand does is slower than half of this; sensors that sample faster are averaged down to between this and its double. */
const hzEnough = 100;

/** @param hz samples a second */
export function motionOf(samples: readonly Sample[], hz: number): 'shaken' | 'picked_up' | null {
  if (hz < hzMin) return null;
  const every = Math.max(1, Math.floor(hz / hzEnough));
  const thin = thinned(samples, every);
  if (isShaken(thin, hz / every)) return 'shaken';
  return isLifted(thin, hz / every) ? 'picked_up' : null;
}
