/** Classifies a burst of acceleration: shaken, picked up, or nothing (a knock on the table, a tilt, a bump, being carried or set down). */
import { downsampled, type Sample } from './acceleration.js';
import { isLifted } from './lifting.js';
import { isShaken } from './shaking.js';

/** Minimum sample rate: below it a swing lies between two samples. */
const hzMin = 10;
/** Enough, since movements of a hand are slower than half of it. Faster sensors are averaged down to between this rate and twice it. */
const hzEnough = 100;

export function motionOf(samples: readonly Sample[], hz: number): 'shaken' | 'picked_up' | null {
  if (hz < hzMin) return null;
  const every = Math.max(1, Math.floor(hz / hzEnough));
  const thin = downsampled(samples, every);
  if (isShaken(thin, hz / every)) return 'shaken';
  return isLifted(thin, hz / every) ? 'picked_up' : null;
}
