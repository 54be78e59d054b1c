/** The tone and glide voices: a soft attack, few harmonics, and a decay in which the higher ones fade first. */
import { hertzOf, playableHertz } from '../pitch.js';
import type { GlideStroke, ToneStroke } from '../stroke.js';
import { harmonicLevels } from './harmonics.js';

/** A note decays to this share of its initial level and stays there: a long note is audible to its end. */
const settled = 0.3;
const glideSettled = 0.5;
const settleMs = 320;

/** Returns the gain of a raised-cosine attack and release. Callers limit each to two fifths of the stroke, so that short notes keep both. */
function ramp(sinceStart: number, untilEnd: number, attack: number, release: number): number {
  let gain = 1;
  if (sinceStart < attack) gain = 0.5 - 0.5 * Math.cos((Math.PI * sinceStart) / attack);
  if (untilEnd < release) gain *= 0.5 - 0.5 * Math.cos((Math.PI * untilEnd) / release);
  return gain;
}

export function addTone(mix: Float32Array, rate: number, from: number, to: number, stroke: ToneStroke): void {
  const hertz = playableHertz(stroke.semitone, rate);
  const length = to - from;
  const attack = Math.min(0.4 * length, 0.006 * rate);
  const release = Math.min(0.4 * length, 0.045 * rate);
  const gains = new Float64Array(length);
  for (let at = 0; at < length; at += 1) gains[at] = ramp(at, length - at, attack, release);
  const levels = harmonicLevels(hertz, rate);
  const peak = levels.reduce((sum, level) => sum + level, 0);
  for (const [index, share] of levels.entries()) {
    const harmonic = index + 1;
    const level = (stroke.level * share) / peak;
    const floor = settled / harmonic;
    const shrink = Math.exp((-1000 * harmonic) / (settleMs * rate));
    let extra = 1 - floor;
    // A sine by recurrence: one multiplication a sample.
    const angle = (2 * Math.PI * hertz * harmonic) / rate;
    const turn = 2 * Math.cos(angle);
    let before = -Math.sin(angle);
    let now = 0;
    for (let at = from; at < to; at += 1) {
      mix[at]! += level * (floor + extra) * gains[at - from]! * now;
      extra *= shrink;
      const next = turn * now - before;
      before = now;
      now = next;
    }
  }
}

export function addGlide(mix: Float32Array, rate: number, from: number, to: number, stroke: GlideStroke): void {
  const length = to - from;
  const highest = Math.max(stroke.from, stroke.to) + stroke.vibrato;
  const wave = waveOf(harmonicLevels(hertzOf(highest), rate));
  const attack = Math.min(0.4 * length, 0.015 * rate);
  const release = Math.min(0.4 * length, 0.05 * rate);
  const vibratoStep = (2 * Math.PI * 6) / rate;
  const shrink = Math.exp(-1000 / (settleMs * rate));
  let extra = 1 - glideSettled;
  let phase = 0;
  for (let at = from; at < to; at += 1) {
    const sinceStart = at - from;
    const semitone = stroke.from + ((stroke.to - stroke.from) * sinceStart) / length + stroke.vibrato * Math.sin(vibratoStep * sinceStart);
    mix[at]! += stroke.level * (glideSettled + extra) * ramp(sinceStart, to - at, attack, release) * read(wave, phase);
    extra *= shrink;
    phase += hertzOf(semitone) / rate;
    if (phase >= 1) phase -= 1;
  }
}

const cycle = 2048;

/** Returns one cycle of a wave, and one extra sample, so that interpolation does not wrap. */
function waveOf(levels: readonly number[]): Float32Array {
  const peak = levels.reduce((sum, level) => sum + level, 0);
  return Float32Array.from({ length: cycle + 1 }, (_, at) =>
    levels.reduce((sum, level, index) => sum + (level / peak) * Math.sin((2 * Math.PI * (index + 1) * at) / cycle), 0),
  );
}

function read(wave: Float32Array, phase: number): number {
  const at = phase * cycle;
  const index = Math.floor(at);
  const low = wave[index]!;
  return low + (wave[index + 1]! - low) * (at - index);
}
