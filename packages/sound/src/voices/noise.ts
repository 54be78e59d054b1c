import type { NoiseStroke } from '../stroke.js';

/** Gain that raises the filtered noise's peak to about the stroke's level. */
const makeUp = 2;
const damping = 0.5;

export function addNoise(mix: Float32Array, rate: number, from: number, to: number, stroke: NoiseStroke): void {
  const length = to - from;
  const attack = Math.min(0.4 * length, 0.003 * rate);
  const release = Math.min(0.4 * length, 0.02 * rate);
  let seed = 0x9e3779b9 ^ Math.imul(stroke.at + 1, 0x85ebca6b);
  // A state-variable filter in its topology-preserving form: stays stable while its band slides.
  let low = 0;
  let band = 0;
  for (let at = from; at < to; at += 1) {
    const sinceStart = at - from;
    const done = sinceStart / length;
    const hertz = stroke.fromHertz * (stroke.toHertz / stroke.fromHertz) ** done;
    const g = Math.tan((Math.PI * Math.min(hertz, 0.45 * rate)) / rate);

    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) | 0;
    const white = seed / 2 ** 31;
    const high = (white - (damping + g) * band - low) / (1 + damping * g + g * g);
    const bandNow = g * high + band;
    band = g * high + bandNow;
    const lowNow = g * bandNow + low;
    low = g * bandNow + lowNow;

    let gain = stroke.shape === 'crunch' ? Math.exp(-4 * done) : Math.sin(Math.PI * done) ** 2;
    if (sinceStart < attack) gain *= sinceStart / attack;
    if (to - at < release) gain *= (to - at) / release;
    mix[at] = (mix[at] ?? 0) + stroke.level * makeUp * gain * damping * bandNow;
  }
}
