/** True peaks: maxima of the waveform between its samples, found by 4x oversampling (ITU-R BS.1770-5, annex 2) with a longer filter than its example. */

const oversampling = 4;
/** Samples on each side of an interpolated value. */
const reach = 16;
/** At least the samples that an interpolated value depends on, so that those lie in three neighbouring blocks. */
const blockSamples = 2 * reach + 2;
/** Covers the rounding of the bounds themselves. */
const rounding = 1 + 1e-6;

const phases = Array.from({ length: oversampling - 1 }, (_, phase) => interpolator((phase + 1) / oversampling));
const { ofNearest, ofCurvature } = boundOf(phases);

/**
 * The waveform from each sample up to the next. Interpolating a value takes 32 multiplications, so only those are interpolated that can exceed what the
 * caller asks for: between two samples the waveform exceeds them by at most a multiple of its curvature (second difference) nearby.
 */
export class TruePeaks {
  readonly highest: number;
  readonly #samples: Float32Array;
  /** For each sample, the peak from it up to the next; the sample's magnitude where it was not interpolated. */
  readonly #peaks: Float32Array;
  /** For each sample, the most that its peak can be; -1 once it is interpolated. */
  readonly #bounds: Float64Array;

  constructor(samples: Float32Array) {
    this.#samples = samples;
    this.#peaks = samples.map(Math.abs);
    this.#bounds = peakBounds(samples);
    let largest = 0;
    for (let at = 1; at < samples.length; at += 1) if (this.#peaks[at]! > this.#peaks[largest]!) largest = at;
    let highest = samples.length === 0 ? 0 : this.#interpolate(largest);
    for (let at = 0; at < samples.length; at += 1) if (this.#bounds[at]! > highest) highest = Math.max(highest, this.#interpolate(at));
    this.highest = highest;
  }

  /** Returns the peak at each sample, exactly where it exceeds the threshold; elsewhere it may be lower, but not higher than the threshold. */
  above(threshold: number): Float32Array {
    for (let at = 0; at < this.#bounds.length; at += 1) if (this.#bounds[at]! > threshold) this.#interpolate(at);
    return this.#peaks;
  }

  #interpolate(at: number): number {
    const samples = this.#samples;
    let peak = this.#peaks[at]!;
    const from = at - reach + 1;
    const firstTap = Math.max(0, -from);
    const endTap = Math.min(2 * reach, samples.length - from);
    for (const taps of phases) {
      let value = 0;
      for (let tap = firstTap; tap < endTap; tap += 1) value += samples[from + tap]! * taps[tap]!;
      peak = Math.max(peak, Math.abs(value));
    }
    this.#peaks[at] = peak;
    this.#bounds[at] = -1;
    return Math.fround(peak);
  }
}

/** dBTP; -Infinity for silence. */
export function truePeakOf(samples: Float32Array): number {
  return 20 * Math.log10(new TruePeaks(samples).highest);
}

function peakBounds(samples: Float32Array): Float64Array {
  const bounds = new Float64Array(samples.length);
  const curvatures = blockCurvatures(samples);
  for (let at = 0; at < samples.length; at += 1) {
    const block = Math.floor(at / blockSamples);
    const curvature = Math.max(curvatures[block - 1] ?? 0, curvatures[block]!, curvatures[block + 1] ?? 0);
    const nearest = Math.max(Math.abs(samples[at]!), Math.abs(samples[at + 1] ?? 0));
    bounds[at] = (ofNearest * nearest + ofCurvature * curvature) * rounding;
  }
  return bounds;
}

/** Returns the largest second difference of each block. Before and after the samples is silence, whose edges count to the first and the last block. */
function blockCurvatures(samples: Float32Array): Float64Array {
  const curvatures = new Float64Array(Math.floor(samples.length / blockSamples) + 1);
  for (let at = -1; at <= samples.length; at += 1) {
    const block = Math.floor(Math.min(Math.max(at, 0), samples.length - 1) / blockSamples);
    const second = (samples[at - 1] ?? 0) - 2 * (samples[at] ?? 0) + (samples[at + 1] ?? 0);
    curvatures[block] = Math.max(curvatures[block]!, Math.abs(second));
  }
  return curvatures;
}

/**
 * Bounds an interpolated value: at most `ofNearest` times the larger of the two samples beside it plus `ofCurvature` times the largest second
 * difference of the samples that it depends on. Taps are split into two for the nearest samples, with the same sum and the same first moment as all of
 * them, and a rest, which is therefore the second difference of a finite sequence.
 */
function boundOf(filters: readonly Float64Array[]): { ofNearest: number; ofCurvature: number } {
  const bound = { ofNearest: 0, ofCurvature: 0 };
  for (const taps of filters) {
    const sum = taps.reduce((total, tap) => total + tap, 0);
    const moment = taps.reduce((total, tap, index) => total + tap * (index - reach + 1), 0);
    const rest = taps.slice();
    rest[reach - 1]! -= sum - moment;
    rest[reach]! -= moment;
    let [slope, value, total] = [0, 0, 0];
    for (const tap of rest) {
      slope += tap;
      value += slope;
      total += Math.abs(value);
    }
    bound.ofNearest = Math.max(bound.ofNearest, Math.abs(sum - moment) + Math.abs(moment));
    bound.ofCurvature = Math.max(bound.ofCurvature, total);
  }
  return bound;
}

/** Returns the taps of a sinc under a Blackman window, for the value `share` of the way from one sample to the next. */
function interpolator(share: number): Float64Array {
  return Float64Array.from({ length: 2 * reach }, (_, tap) => {
    const distance = tap - (reach - 1) - share;
    const turn = (Math.PI * distance) / reach;
    return (Math.sin(Math.PI * distance) / (Math.PI * distance)) * (0.42 + 0.5 * Math.cos(turn) + 0.08 * Math.cos(2 * turn));
  });
}
