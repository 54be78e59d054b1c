/** The tone and glide voices: a wavetable of one cycle, with as many harmonics as the sample rate allows. */
import { highestHertz, hertzOf, playableHertz } from '../pitch.js';
import type { GlideStroke, ToneStroke } from '../stroke.js';

const cycle = 2048;
const harmonicCounts = [1, 2, 3, 4, 6, 8, 12, 16, 24] as const;
const waves = new Map<number, Float32Array>();

/** Returns a wave whose harmonics fall by h^-1.6: a soft sound, still audible on a speaker too small for the fundamental of a low note. */
function waveOf(harmonics: number): Float32Array {
  const known = waves.get(harmonics);
  if (known !== undefined) return known;
  // One extra sample, so that interpolation does not wrap.
  const wave = new Float32Array(cycle + 1);
  let peak = 0;
  for (let at = 0; at < cycle; at += 1) {
    let value = 0;
    for (let harmonic = 1; harmonic <= harmonics; harmonic += 1) {
      value += Math.sin((2 * Math.PI * harmonic * at) / cycle) * harmonic ** -1.6;
    }
    wave[at] = value;
    peak = Math.max(peak, Math.abs(value));
  }
  for (let at = 0; at < cycle; at += 1) wave[at] = (wave[at] ?? 0) / peak;
  waves.set(harmonics, wave);
  return wave;
}

/** Returns the wave whose highest harmonic the rate can represent. */
function waveFor(hertz: number, rate: number): Float32Array {
  const fitting = Math.floor(highestHertz(rate) / hertz);
  return waveOf(harmonicCounts.findLast((count) => count <= fitting) ?? 1);
}

function read(wave: Float32Array, phase: number): number {
  const at = phase * cycle;
  const index = Math.floor(at);
  const low = wave[index] ?? 0;
  return low + ((wave[index + 1] ?? 0) - low) * (at - index);
}

/** Returns the gain of a raised-cosine attack and release. Callers limit each to two fifths of the stroke, so that short notes keep both. */
function ramp(sinceStart: number, untilEnd: number, attack: number, release: number): number {
  let gain = 1;
  if (sinceStart < attack) gain = 0.5 - 0.5 * Math.cos((Math.PI * sinceStart) / attack);
  if (untilEnd < release) gain *= 0.5 - 0.5 * Math.cos((Math.PI * untilEnd) / release);
  return gain;
}

/** A note decays to this share of its initial level, which separates repeated notes. */
const settled = 0.7;
const settleMs = 180;

export function addTone(mix: Float32Array, rate: number, from: number, to: number, stroke: ToneStroke): void {
  const hertz = playableHertz(stroke.semitone, rate);
  const wave = waveFor(hertz, rate);
  const step = hertz / rate;
  const length = to - from;
  const attack = Math.min(0.4 * length, 0.006 * rate);
  const release = Math.min(0.4 * length, 0.025 * rate);
  const shrink = Math.exp(-1000 / (settleMs * rate));
  let extra = 1 - settled;
  let phase = 0;
  for (let at = from; at < to; at += 1) {
    const level = stroke.level * (settled + extra) * ramp(at - from, to - at, attack, release);
    mix[at] = (mix[at] ?? 0) + level * read(wave, phase);
    extra *= shrink;
    phase += step;
    if (phase >= 1) phase -= 1;
  }
}

export function addGlide(mix: Float32Array, rate: number, from: number, to: number, stroke: GlideStroke): void {
  const length = to - from;
  const highest = Math.max(stroke.from, stroke.to) + stroke.vibrato;
  const wave = waveFor(hertzOf(highest), rate);
  const attack = Math.min(0.4 * length, 0.015 * rate);
  const release = Math.min(0.4 * length, 0.05 * rate);
  const vibratoStep = (2 * Math.PI * 6) / rate;
  let phase = 0;
  for (let at = from; at < to; at += 1) {
    const sinceStart = at - from;
    const semitone = stroke.from + ((stroke.to - stroke.from) * sinceStart) / length + stroke.vibrato * Math.sin(vibratoStep * sinceStart);
    mix[at] = (mix[at] ?? 0) + stroke.level * ramp(sinceStart, to - at, attack, release) * read(wave, phase);
    phase += hertzOf(semitone) / rate;
    if (phase >= 1) phase -= 1;
  }
}
