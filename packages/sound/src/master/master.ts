/** Brings a mix to the loudness that all sounds have, so that one volume fits chimes and melodies, struck or played. */
import { limiterGains } from './limiter.js';
import { momentaryLoudness } from './loudness.js';
import { TruePeaks } from './true-peak.js';

export const targetLufs = -12;
const closeEnoughLu = 0.05;
const roundsMax = 8;
/** -1.1 dBTP: a tenth of a decibel below the promised -1 dBTP, for rounding to 16 bits and a meter with another filter. */
export const ceiling = 10 ** (-1.1 / 20);
/** The limiter lowers no peak by more than this factor (6 dB). What would need more, such as a single click, stays quieter than the target. */
const limitingMax = 2;

export function master(mix: Float32Array, rate: number): void {
  const peaks = new TruePeaks(mix);
  if (peaks.highest === 0) return;
  const gainMax = (limitingMax * ceiling) / peaks.highest;
  let gain = Math.min(gainMax, 10 ** ((targetLufs - momentaryLoudness(mix, rate)) / 20));
  let mastered = amplified(mix, peaks, gain, rate);
  // Limiting lowers the loudness, so the gain approaches the target in rounds. Without limiting, the first gain is exact.
  const rounds = peaks.highest * gain > ceiling ? roundsMax : 1;
  for (let round = 1; round < rounds; round += 1) {
    const shortOfLu = targetLufs - momentaryLoudness(mastered, rate);
    if (Math.abs(shortOfLu) <= closeEnoughLu || (shortOfLu > 0 && gain === gainMax)) break;
    gain = Math.min(gainMax, gain * 10 ** (shortOfLu / 20));
    mastered = amplified(mix, peaks, gain, rate);
  }
  mix.set(mastered);
}

function amplified(mix: Float32Array, peaks: TruePeaks, gain: number, rate: number): Float32Array {
  if (peaks.highest * gain <= ceiling) return mix.map((value) => value * gain);
  const gains = limiterGains(peaks.above(ceiling / gain), ceiling / gain, rate);
  return mix.map((value, at) => value * gain * gains[at]!);
}
