/**
 * Picked up: from rest, and then upwards. The upward acceleration is summed to speed and height; a hand that takes a robot from the table reaches
 * 0.4 to 0.8 m/s and 20 cm within a second.
 *
 * - rest: the first 100 ms within 0.05 g of their mean, which is 1 g to 0.08 (a sensor's offset): in the hand, carried, it is never so still, and
 *   without rest there is nothing to be picked up from. What is under 1 g may be the bottom of a step in somebody's hand, and counts as 1 g.
 * - only along gravity as it was at rest: a tilt takes away from it, a slide or a bump on the table adds nothing.
 * - each sample is the median of 100 ms: knocks ring faster than that, a push upwards lasts 150 ms at least.
 * - 0.02 g less than measured, so that an offset does not add up.
 * - 0.2 m/s and 6 cm: a table that sways stays below, and so does a robot set down, which goes downwards first.
 *   A lift of 15 cm that takes longer than a second stays below, too: it is as gentle as being carried.
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
