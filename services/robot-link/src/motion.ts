/** What a burst of acceleration means: shaken, picked up, or nothing (a knock on the table, a tilt, a bump, being carried or set down). */
import { isLifted } from './lifting.js';
import { isShaken } from './shaking.js';

/** Acceleration in g as the sensor feels it: 1 g upwards at rest. Whichever of its axes points up. */
export type Sample = readonly [x: number, y: number, z: number];

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

export function meanOf(samples: readonly Sample[]): [number, number, number] {
  const mean: [number, number, number] = [0, 0, 0];
  for (const [x, y, z] of samples) {
    mean[0] += x / samples.length;
    mean[1] += y / samples.length;
    mean[2] += z / samples.length;
  }
  return mean;
}

function thinned(samples: readonly Sample[], every: number): readonly Sample[] {
  if (every === 1) return samples;
  const thin: Sample[] = [];
  for (let i = 0; i + every <= samples.length; i += every) thin.push(meanOf(samples.slice(i, i + every)));
  return thin;
}
