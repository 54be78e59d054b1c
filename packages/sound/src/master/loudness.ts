/**
 * Loudness as ITU-R BS.1770-5, annex 1, measures it: the K-weighting is a shelf that raises what the head reflects and a high-pass. Both filters are
 * the bilinear transform of their analog prototypes; at 48 kHz this yields the coefficients that the standard prints (the test compares them).
 */

interface Biquad {
  b: readonly [number, number, number];
  a: readonly [number, number];
}

const windowBins = 40;
const binsPerSecond = 100;

export function kWeighting(rate: number): readonly [Biquad, Biquad] {
  return [shelf(rate), highPass(rate)];
}

/** LUFS of the loudest 400 ms, in steps of 10 ms; -Infinity for silence. Silence surrounds the samples, so that short sounds count whole. */
export function momentaryLoudness(samples: Float32Array | Float64Array, rate: number): number {
  const weighting = new Weighting(rate);
  const bins = new Float64Array(Math.floor((samples.length * binsPerSecond) / rate) + 1);
  for (let at = 0; at < samples.length; at += 1) {
    const weighted = weighting.next(samples[at]!);
    bins[Math.floor((at * binsPerSecond) / rate)]! += weighted * weighted;
  }
  let sum = 0;
  let most = 0;
  for (const [at, energy] of bins.entries()) {
    sum += energy - (bins[at - windowBins] ?? 0);
    most = Math.max(most, sum);
  }
  return lufsOf(most / ((rate * windowBins) / binsPerSecond));
}

/** @param meanSquare of K-weighted samples */
export function lufsOf(meanSquare: number): number {
  return -0.691 + 10 * Math.log10(meanSquare);
}

/** The filters of the K-weighting with their state. */
export class Weighting {
  readonly #first: Biquad;
  readonly #second: Biquad;
  #u1 = 0;
  #u2 = 0;
  #v1 = 0;
  #v2 = 0;
  #w1 = 0;
  #w2 = 0;

  constructor(rate: number) {
    [this.#first, this.#second] = kWeighting(rate);
  }

  next(u: number): number {
    const { b, a } = this.#first;
    const { b: d, a: c } = this.#second;
    const v = b[0] * u + b[1] * this.#u1 + b[2] * this.#u2 - a[0] * this.#v1 - a[1] * this.#v2;
    const w = d[0] * v + d[1] * this.#v1 + d[2] * this.#v2 - c[0] * this.#w1 - c[1] * this.#w2;
    this.#u2 = this.#u1;
    this.#u1 = u;
    this.#v2 = this.#v1;
    this.#v1 = v;
    this.#w2 = this.#w1;
    this.#w1 = w;
    return w;
  }
}

function shelf(rate: number): Biquad {
  const k = Math.tan((Math.PI * 1681.974450955533) / rate);
  const q = 0.7071752369554196;
  const high = 10 ** (3.999843853973347 / 20);
  const band = high ** 0.4996667741545416;
  const a0 = 1 + k / q + k * k;
  return {
    b: [(high + (band * k) / q + k * k) / a0, (2 * (k * k - high)) / a0, (high - (band * k) / q + k * k) / a0],
    a: [(2 * (k * k - 1)) / a0, (1 - k / q + k * k) / a0],
  };
}

function highPass(rate: number): Biquad {
  const k = Math.tan((Math.PI * 38.13547087602444) / rate);
  const q = 0.5003270373238773;
  const a0 = 1 + k / q + k * k;
  return { b: [1, -2, 1], a: [(2 * (k * k - 1)) / a0, (1 - k / q + k * k) / a0] };
}
