/**
 * Detects picking up: upward movement that starts from rest. Integrates the upward acceleration to speed and height; a hand that lifts a robot from
 * the table reaches 0.4 to 0.8 m/s and 20 cm within a second.
 *
 * - Rest: the first 100 ms are within 0.05 g of their mean, and the mean is within 0.08 g (a sensor's offset) of 1 g. A robot carried in the hand is
 *   never that still, and without rest there is nothing to be picked up from. A mean below 1 g may be the low point of a step while the robot is
 *   carried, and counts as 1 g.
 * - Only acceleration along gravity at rest counts: a tilt reduces it, a slide or a bump on the table adds nothing.
 * - Each sample is the median of 100 ms: vibrations of a knock are shorter, an upward push lasts at least 150 ms.
 * - 0.02 g is subtracted, so that an offset does not add up.
 * - Thresholds of 0.2 m/s and 6 cm: a swaying table stays below them, and so does a robot that is set down, which moves down first. So does a lift of
 *   15 cm that takes longer than a second: it is as gentle as being carried.
 */
import { meanOf, type Sample } from './acceleration.js';

const restMs = 100;
const restSamplesMin = 3;
const restSpreadG = 0.05;
const restOffG = 0.08;
const medianMs = 100;
const deadG = 0.02;
const speedMin = 0.2;
const heightMin = 0.06;
const metresPerSecond2 = 9.81;

export function isLifted(samples: readonly Sample[], hz: number): boolean {
  const up = fromRest(samples, hz);
  if (up === null) return false;
  const seconds = 1 / hz;
  let speed = 0;
  let height = 0;
  let fast = false;
  for (const g of medians(up, Math.round(((medianMs / 1000) * hz) / 2))) {
    if (Math.abs(g) > deadG) speed += (g - Math.sign(g) * deadG) * metresPerSecond2 * seconds;
    height += speed * seconds;
    fast ||= speed >= speedMin;
    if (fast && height >= heightMin) return true;
  }
  return false;
}

/** Returns the upward acceleration, g, at most 0 at rest; null if the burst does not begin at rest. */
function fromRest(samples: readonly Sample[], hz: number): Float64Array | null {
  const length = Math.max(restSamplesMin, Math.round((restMs / 1000) * hz));
  if (samples.length <= length) return null;
  const rest = samples.slice(0, length);
  const [mx, my, mz] = meanOf(rest);
  const gravity = Math.hypot(mx, my, mz);
  const still = rest.every(([x, y, z]) => Math.hypot(x - mx, y - my, z - mz) <= restSpreadG);
  if (!still || Math.abs(gravity - 1) > restOffG) return null;
  const weight = Math.max(1, gravity);
  return Float64Array.from(samples, ([x, y, z]) => (x * mx + y * my + z * mz) / gravity - weight);
}

function* medians(values: Float64Array, reach: number): Generator<number> {
  for (let i = 0; i < values.length; i += 1) {
    const around = values.slice(Math.max(0, i - reach), i + reach + 1).sort();
    yield around[around.length >> 1]!;
  }
}
