/** The distance of two sounds as people tell them apart: by the shape of the melody, whatever its key and speed, and by the timing from the start. */

export interface Impression {
  /** Semitones above the mean pitch, at `points` equally spaced moments of what sounds. */
  contour: number[];
  /** Loudness every 10 ms from the start, 0 (30 dB below the loudest, or silence) to 1. */
  timing: number[];
}

const points = 24;
const hopMs = 10;
const windowMs = 60;
const rangeDb = 30;
const semitones = Array.from({ length: 46 }, (_, index) => 55 + index);
/** A contour that is an octave off on average counts as entirely different. */
const octave = 12;

export function impressionOf(samples: Float64Array, rate: number): Impression {
  const hop = (hopMs * rate) / 1000;
  const half = (windowMs * rate) / 2000;
  const kernels = semitones.map((semitone) => kernelOf(440 * 2 ** ((semitone - 69) / 12), half, rate));
  const frames = Array.from({ length: Math.ceil(samples.length / hop) }, (_, index) => {
    const energies = kernels.map((kernel) => energyAt(samples, index * hop - half, kernel));
    const most = Math.max(...energies);
    return { pitch: semitones[energies.indexOf(most)]!, decibels: 10 * Math.log10(energies.reduce((sum, energy) => sum + energy) + 1e-12) };
  });
  const loudest = Math.max(...frames.map(({ decibels }) => decibels));
  const timing = frames.map(({ decibels }) => Math.max(0, 1 + (decibels - loudest) / rangeDb));
  const pitches = frames.filter((_, index) => timing[index]! > 0).map(({ pitch }) => pitch);
  const contour = Array.from({ length: points }, (_, point) => pitches[Math.floor(((point + 0.5) * pitches.length) / points)]!);
  const mean = contour.reduce((sum, pitch) => sum + pitch) / points;
  return { contour: contour.map((pitch) => pitch - mean), timing };
}

/** 0 for equal impressions, up to 1. */
export function distance(a: Impression, b: Impression): number {
  const contour = a.contour.reduce((sum, pitch, point) => sum + Math.abs(pitch - b.contour[point]!), 0) / points / octave;
  const frames = Math.max(a.timing.length, b.timing.length);
  let timing = 0;
  for (let frame = 0; frame < frames; frame += 1) timing += Math.abs((a.timing[frame] ?? 0) - (b.timing[frame] ?? 0)) / frames;
  return (Math.min(1, contour) + timing) / 2;
}

/** Returns cosine and sine under a Hann window, interleaved. */
function kernelOf(hertz: number, half: number, rate: number): Float64Array {
  const kernel = new Float64Array(4 * half);
  for (let at = 0; at < 2 * half; at += 1) {
    const window = 0.5 - 0.5 * Math.cos((Math.PI * (at + 0.5)) / half);
    const angle = (2 * Math.PI * hertz * at) / rate;
    kernel[2 * at] = window * Math.cos(angle);
    kernel[2 * at + 1] = window * Math.sin(angle);
  }
  return kernel;
}

function energyAt(samples: Float64Array, from: number, kernel: Float64Array): number {
  let re = 0;
  let im = 0;
  for (let at = Math.max(0, -from); at < kernel.length / 2 && from + at < samples.length; at += 1) {
    re += samples[from + at]! * kernel[2 * at]!;
    im += samples[from + at]! * kernel[2 * at + 1]!;
  }
  return re * re + im * im;
}
