/** Classifies a burst of acceleration: shaken, picked up, or nothing (a knock on the table, a tilt, a bump, being carried or set down). */
import { thresholds } from './thresholds.js';

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

/** Shaking by hand: strong movement to and fro along one axis without a pause, at 3 to 7 Hz over some centimetres, which is 1 to 4 g. */
const { swingG, swingsMin, withinMs, spanMsMin, activeG, activeShareMin } = thresholds.shaken;

const axisRounds = 6;

function isShaken(samples: readonly Sample[], hz: number): boolean {
  const along = alongMainAxis(samples);
  const within = (withinMs / 1000) * hz;
  const span = (spanMsMin / 1000) * hz;
  const swings: number[] = [];
  const activeBefore = new Uint32Array(along.length + 1);
  let side = 0;
  let first = 0;
  for (const [i, g] of along.entries()) {
    activeBefore[i + 1] = activeBefore[i]! + (Math.abs(g) >= activeG ? 1 : 0);
    const now = g >= swingG ? 1 : g <= -swingG ? -1 : 0;
    if (now === 0 || now === side) continue;
    side = now;
    swings.push(i);
    while (i - swings[first]! > within) first += 1;
    const began = swings[first]!;
    const active = (activeBefore[i + 1]! - activeBefore[began]!) / (i + 1 - began);
    if (swings.length - first >= swingsMin && i - began >= span && active >= activeShareMin) return true;
  }
  return false;
}

function alongMainAxis(samples: readonly Sample[]): Float64Array {
  const [mx, my, mz] = meanOf(samples);
  let axis: Sample = [0, 0, 0];
  let farthest = 0;
  for (const [x, y, z] of samples) {
    const square = (x - mx) ** 2 + (y - my) ** 2 + (z - mz) ** 2;
    if (square > farthest) {
      farthest = square;
      axis = [x - mx, y - my, z - mz];
    }
  }
  for (let round = 0; round < axisRounds; round += 1) axis = pulled(samples, [mx, my, mz], axis);
  const [ax, ay, az] = axis;
  return Float64Array.from(samples, ([x, y, z]) => (x - mx) * ax + (y - my) * ay + (z - mz) * az);
}

/** Performs one round of power iteration on the covariance: turns the axis, of length 1, towards the largest spread of the samples. */
function pulled(samples: readonly Sample[], [mx, my, mz]: Sample, [ax, ay, az]: Sample): Sample {
  let [px, py, pz] = [0, 0, 0];
  for (const [x, y, z] of samples) {
    const along = (x - mx) * ax + (y - my) * ay + (z - mz) * az;
    px += along * (x - mx);
    py += along * (y - my);
    pz += along * (z - mz);
  }
  const length = Math.hypot(px, py, pz) || 1;
  return [px / length, py / length, pz / length];
}

/**
 * Detects picking up, from rest: integrates the upward acceleration to speed and height. A robot carried in the hand is never that still. Only
 * acceleration along gravity at rest counts: a tilt reduces it, a slide or bump adds nothing. Each sample is the median of 100 ms: vibrations of a
 * knock are shorter, an upward push lasts at least 150 ms.
 */
type Thresholds = (typeof thresholds)['lifted' | 'liftedGently'];

const restSamplesMin = 3;
const medianMs = 100;
const metresPerSecond2 = 9.81;

function isLifted(samples: readonly Sample[], hz: number): boolean {
  return isRaised(samples, hz, thresholds.lifted) || isRaised(samples, hz, thresholds.liftedGently);
}

function isRaised(samples: readonly Sample[], hz: number, how: Thresholds): boolean {
  const up = fromRest(samples, hz, how);
  if (up === null) return false;
  const seconds = 1 / hz;
  let speed = 0;
  let height = 0;
  let fast = false;
  let at = 0;
  for (const g of medians(smoothed(up), Math.round(((medianMs / 1000) * hz) / 2))) {
    if (Math.abs(up[at]! - g) > how.roughG) return false;
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
  const weight = how.isGentle ? gravity : Math.max(1, gravity);
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

/** Acceleration in g as the sensor measures it: 1 g upwards at rest, in any orientation of its axes. */
export type Sample = readonly [x: number, y: number, z: number];

function meanOf(samples: readonly Sample[]): [number, number, number] {
  const mean: [number, number, number] = [0, 0, 0];
  for (const [x, y, z] of samples) {
    mean[0] += x / samples.length;
    mean[1] += y / samples.length;
    mean[2] += z / samples.length;
  }
  return mean;
}

function downsampled(samples: readonly Sample[], every: number): readonly Sample[] {
  if (every === 1) return samples;
  const thin: Sample[] = [];
  for (let i = 0; i + every <= samples.length; i += every) thin.push(meanOf(samples.slice(i, i + every)));
  return thin;
}
