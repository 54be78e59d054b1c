import { scoreOf, type SoundSpec } from './score.js';
import { master } from './master/master.js';
import { toPcm } from './pcm.js';
import type { Stroke } from './stroke.js';
import { addBell } from './voices/bell.js';
import { addNoise } from './voices/noise.js';
import { addGlide, addTone } from './voices/tone.js';

/**
 * Returns mono PCM, signed 16 bit little-endian; the same bytes for the same arguments. Takes about 0.3 s of CPU for the longest sound.
 * Begins and ends in silence. Its maximum momentary loudness is -12 LUFS, less where peaks do not allow it; its true peak is at most -1 dBTP.
 * @param rate samples a second, 8,000..48,000
 * @returns `soundDurationMs(spec) * rate / 1000` samples, rounded
 * @throws {NotesError} invalid melody
 * @throws {RangeError} unknown chime, or rate out of range
 */
export function synthesize(spec: SoundSpec, rate: number): Buffer {
  return toPcm(samplesOf(spec, rate));
}

/** As `synthesize`, as samples from -1 to 1. */
export function samplesOf(spec: SoundSpec, rate: number): Float32Array {
  if (!Number.isInteger(rate) || rate < 8_000 || rate > 48_000) throw new RangeError(`${rate} is not a sample rate from 8000 to 48000`);
  const { strokes, ms } = scoreOf(spec);
  const mix = new Float32Array(sampleAt(ms, rate));
  for (const stroke of strokes) addStroke(mix, rate, sampleAt(stroke.at, rate), sampleAt(stroke.at + stroke.ms, rate), stroke);
  master(mix, rate);
  return mix;
}

function sampleAt(ms: number, rate: number): number {
  return Math.round((ms * rate) / 1000);
}

function addStroke(mix: Float32Array, rate: number, from: number, to: number, stroke: Stroke): void {
  switch (stroke.voice) {
    case 'tone':
      return addTone(mix, rate, from, to, stroke);
    case 'bell':
      return addBell(mix, rate, from, to, stroke);
    case 'glide':
      return addGlide(mix, rate, from, to, stroke);
    case 'noise':
      return addNoise(mix, rate, from, to, stroke);
  }
}
