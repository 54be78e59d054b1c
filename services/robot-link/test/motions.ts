/** Accelerometer recordings, computed from the physics of movements and not from the thresholds under test. */
import fc from 'fast-check';
import type { Sample } from '../src/input/motion.js';

/** Acceleration in g with z up, at a time in seconds. */
export type Movement = (t: number) => Sample;

export interface Recording {
  hz: number;
  samples: Sample[];
}

const gravity = 9.81;
const turn = 2 * Math.PI;

export function resting(after: number, then: Movement): Movement {
  return (t) => (t < after ? [0, 0, 1] : then(t - after));
}

/** A lift (or, negative, a descent) from rest to rest as a hand moves: smooth, with some tilt and tremor. */
export function raised({ heightM, seconds, leanRad }: { heightM: number; seconds: number; leanRad: number }): Movement {
  return (t) => {
    const along = Math.min(1, t / seconds);
    const up = 1 + ((heightM / seconds ** 2) * (60 * along - 180 * along ** 2 + 120 * along ** 3)) / gravity;
    const lean = leanRad * along;
    return [up * Math.sin(lean) + 0.03 * Math.sin(turn * 8 * t), 0.02 * Math.sin(turn * 9 * t), up * Math.cos(lean)];
  };
}

export function ringing({ peakG, perSecond, decay }: { peakG: number; perSecond: number; decay: number }): (t: number) => number {
  return (t) => (t < 0 ? 0 : peakG * Math.exp(-decay * t) * Math.cos(turn * perSecond * t));
}

export function carried({
  stepsPerSecond,
  bounceG,
  swayG,
  phase,
}: {
  stepsPerSecond: number;
  bounceG: number;
  swayG: number;
  phase: number;
}): Movement {
  return (t) => {
    const step = turn * stepsPerSecond * t + phase;
    return [swayG * Math.sin(step / 2), 0.4 * swayG * Math.sin(step), 1 + bounceG * Math.sin(step)];
  };
}

/** The sensor has any orientation, an error of up to 2 % and noise, and averages over each sample as a real one's filter does. */
export function recorded(movement: Movement, seconds: number): fc.Arbitrary<Recording> {
  const part = fc.double({ min: -1, max: 1, noNaN: true });
  const attitude = fc.tuple(part, part, part, part).filter((q) => Math.hypot(...q) > 0.1);
  const gain = fc.double({ min: 0.98, max: 1.02, noNaN: true });
  return fc.record({ hz: fc.constantFrom(50, 100, 200, 400), attitude, gain, seed: fc.nat() }).map(({ hz, attitude, gain, seed }) => {
    const noise = noiseFrom(seed);
    const turned = rotation(attitude);
    const samples = Array.from({ length: Math.round(seconds * hz) }, (_, i) => {
      const [x, y, z] = averaged(movement, i / hz, 1 / hz);
      return turned([x * gain + noise(), y * gain + noise(), z * gain + noise()]);
    });
    return { hz, samples };
  });
}

function averaged(movement: Movement, from: number, seconds: number): Sample {
  const parts = Math.max(1, Math.round(seconds * 1000));
  const sum: [number, number, number] = [0, 0, 0];
  for (let i = 0; i < parts; i += 1) {
    const [x, y, z] = movement(from + ((i + 0.5) / parts) * seconds);
    sum[0] += x / parts;
    sum[1] += y / parts;
    sum[2] += z / parts;
  }
  return sum;
}

/** Up to 0.01 g in either direction. */
function noiseFrom(seed: number): () => number {
  const random = randomFrom(seed);
  return () => 0.01 * (2 * random() - 1);
}

export function randomFrom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function rotation(quaternion: readonly number[]): (v: Sample) => Sample {
  const length = Math.hypot(...quaternion);
  const [w = 1, x = 0, y = 0, z = 0] = quaternion.map((part) => part / length);
  return ([a, b, c]) => [
    (1 - 2 * (y * y + z * z)) * a + 2 * (x * y - w * z) * b + 2 * (x * z + w * y) * c,
    2 * (x * y + w * z) * a + (1 - 2 * (x * x + z * z)) * b + 2 * (y * z - w * x) * c,
    2 * (x * z - w * y) * a + 2 * (y * z + w * x) * b + (1 - 2 * (x * x + y * y)) * c,
  ];
}
