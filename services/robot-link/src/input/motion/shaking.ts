/** Shaking by hand: strong movement to and fro along one axis without a pause, at 3 to 7 Hz over some centimetres, which is 1 to 4 g. */
import { thresholds } from '../thresholds.js';
import { meanOf, type Sample } from './acceleration.js';

const { swingG, swingsMin, withinMs, spanMsMin, activeG, activeShareMin } = thresholds.shaken;

const axisRounds = 6;

export function isShaken(samples: readonly Sample[], hz: number): boolean {
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
