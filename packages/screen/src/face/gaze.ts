import { chance, eased } from './ease.js';
import type { Change, Look } from './face-life.js';
import { timings } from './timings.js';

interface Displacement {
  x: number;
  y: number;
}

const { slot, delayMax, move, x, y } = timings.gaze;

/** Returns where the face looks, px: at what it follows, or about. */
export function gazeAt(seed: number, looks: readonly Change<Look>[], ms: number): Displacement {
  const about = aboutAt(seed, ms);
  const of = (look: Look): Displacement => (look === null ? about : { x: look.x * timings.pointer.x, y: look.y * timings.pointer.y });
  return looks.reduce((gaze, { value, at }) => between(gaze, of(value), eased((ms - at) / timings.pointer.move)), about);
}

function aboutAt(seed: number, ms: number): Displacement {
  const index = Math.floor(ms / slot);
  const start = index * slot + chance(seed + 1, 4 * index) * delayMax;
  return between(target(seed, index - 1), target(seed, index), eased((ms - start) / move));
}

function target(seed: number, index: number): Displacement {
  const [ahead, across, up] = [1, 2, 3].map((which) => chance(seed + 1, 4 * index + which)) as [number, number, number];
  return ahead < 0.5 ? { x: 0, y: 0 } : { x: (2 * across - 1) * x, y: (2 * up - 1) * y };
}

function between(a: Displacement, b: Displacement, share: number): Displacement {
  return { x: a.x * (1 - share) + b.x * share, y: a.y * (1 - share) + b.y * share };
}
