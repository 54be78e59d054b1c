import { chance, eased } from './ease.js';
import { timings } from './timings.js';

const { slot, delayMax, close, closed, open, doubled, doubledAfter } = timings.blink;

function blinkAt(seed: number, index: number): number {
  return index * slot + chance(seed, 2 * index) * delayMax;
}

/** Returns how far the eyes are closed by a blink: 0 open, 1 closed. */
export function blinkShare(seed: number, ms: number): number {
  const index = Math.floor(ms / slot);
  return Math.max(...[index - 1, index].map((each) => shareOf(seed, each, ms)));
}

function shareOf(seed: number, index: number, ms: number): number {
  const since = ms - blinkAt(seed, index);
  const isDoubled = chance(seed, 2 * index + 1) < 1 / doubled;
  return Math.max(lid(since), isDoubled ? lid(since - doubledAfter) : 0);
}

function lid(since: number): number {
  return since < close + closed ? eased(since / close) : 1 - eased((since - close - closed) / open);
}
