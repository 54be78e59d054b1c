/**
 * Detects picking up, from rest: integrates the upward acceleration to speed and height. A robot carried in the hand is never that still. Only
 * acceleration along gravity at rest counts: a tilt reduces it, a slide or bump adds nothing. Each sample is the median of 100 ms: vibrations of a
 * knock are shorter, an upward push lasts at least 150 ms.
 */
import { thresholds } from '../thresholds.js';
import { meanOf, type Sample } from './acceleration.js';

type Thresholds = (typeof thresholds)['lifted' | 'liftedGently'];

const restSamplesMin = 3;
const medianMs = 100;
const metresPerSecond2 = 9.81;

export function isLifted(samples: readonly Sample[], hz: number): boolean {
  return isRaised(samples, hz, thresholds.lifted) || isRaised(samples, hz, thresholds.liftedGently);
}

function isRaised(samples: readonly Sample[], hz: number, how: Thresholds): boolean {
  const up = fromRest(samples, hz, how);
  if (up === null) return false;
  const roughG = 'roughG' in how ? how.roughG : Infinity;
  const seconds = 1 / hz;
  let speed = 0;
  let height = 0;
  let fast = false;
  let at = 0;
  for (const g of medians(smoothed(up), Math.round(((medianMs / 1000) * hz) / 2))) {
    if (Math.abs(up[at]! - g) > roughG) return false;
    at += 1;
    if (Math.abs(g) > how.deadG) speed += (g - Math.sign(g) * how.deadG) * metresPerSecond2 * seconds;
    height += speed * seconds;
    fast ||= speed >= how.speedMin;
    if (fast && height >= how.heightMin) return true;
  }
  return false;
}

/** Returns the upward acceleration, g, about 0 at rest; null if the burst does not begin at rest. */
function fromRest(samples: readonly Sample[], hz: number, how: Thresholds): Float64Array | null {
  const length = Math.max(restSamplesMin, Math.round((how.restMs / 1000) * hz));
  if (samples.length <= length) return null;
  const rest = samples.slice(0, length);
  const [mx, my, mz] = meanOf(rest);
  const gravity = Math.hypot(mx, my, mz);
  const still = rest.every(([x, y, z]) => Math.hypot(x - mx, y - my, z - mz) <= how.restSpreadG);
  if (!still || Math.abs(gravity - 1) > how.restOffG) return null;
  // Without a still hand, a mean below 1 g may be the low point of a step while the robot is carried, and counts as 1 g.
  const weight = 'roughG' in how ? gravity : Math.max(1, gravity);
  return Float64Array.from(samples, ([x, y, z]) => (x * mx + y * my + z * mz) / gravity - weight);
}

/**
 * Returns means of three. A vibration of about a third of the sample rate has the same three values again and again, whose median is not 0 for seconds;
 * their mean is.
 */
function smoothed(values: Float64Array): Float64Array {
  return values.map((value, i) => (i === 0 || i === values.length - 1 ? value : (values[i - 1]! + value + values[i + 1]!) / 3));
}

function* medians(values: Float64Array, reach: number): Generator<number> {
  for (let i = 0; i < values.length; i += 1) {
    const around = values.slice(Math.max(0, i - reach), i + reach + 1).sort();
    yield around[around.length >> 1]!;
  }
}
