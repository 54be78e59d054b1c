import { chance, eased } from './ease.js';
import type { Talk } from './face-life.js';
import { timings } from './timings.js';

const { level, syllable, fade } = timings.talk;
/** One syllable in this many is a pause. */
const pauses = 5;

/** Returns how far the mouth is opened by what the robot says or plays (0..1), and how much of the mouth's shape speaking takes over (0..1). */
export function talkAt(seed: number, talks: readonly Talk[], ms: number): { opening: number; weight: number } {
  return talks.reduce(
    (most, talk) => {
      const weight = eased((ms - talk.at) / fade) * (1 - eased((ms - (talk.until ?? Infinity)) / fade));
      const opening = weight * loudness(seed, talk, ms - talk.at);
      return { opening: Math.max(most.opening, opening), weight: Math.max(most.weight, weight) };
    },
    { opening: 0, weight: 0 },
  );
}

function loudness(seed: number, { levels }: Talk, since: number): number {
  if (levels === null)
    return between((index) => (chance(seed + 2, pauses * index) < 1 / pauses ? 0.05 : 0.3 + 0.7 * chance(seed + 3, index)), since / syllable);
  return between((index) => levels[index] ?? 0, since / level);
}

function between(valueOf: (index: number) => number, at: number): number {
  const index = Math.max(0, Math.floor(at));
  const from = valueOf(index);
  return from + (valueOf(index + 1) - from) * eased(at - index);
}
