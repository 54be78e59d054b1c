/** Resamples a stream by a windowed sinc. Frequencies up to 0.41 of the lower rate pass; what would fold into them is attenuated by 70 dB. */

/** Zero crossings of the sinc on each side. */
const crossings = 32;
/** Edge of the filter, as a part of half the lower rate: half of its transition band lies below. */
const edge = 0.914;

export class Resampler {
  readonly #up: number;
  readonly #down: number;
  readonly #reach: number;
  readonly #cutoff: number;
  readonly #phases = new Map<number, Float64Array>();
  /** Input from `#start` on that later output depends on. */
  #input: Float32Array;
  #start: number;
  #produced = 0;

  constructor(inRate: number, outRate: number) {
    const divisor = greatestDivisor(inRate, outRate);
    this.#up = outRate / divisor;
    this.#down = inRate / divisor;
    const scale = Math.min(1, outRate / inRate);
    this.#cutoff = inRate === outRate ? 1 : edge * scale;
    this.#reach = inRate === outRate ? 0 : Math.ceil(crossings / scale);
    // Silence before the first sample.
    this.#input = new Float32Array(this.#reach);
    this.#start = -this.#reach;
  }

  push(samples: Float32Array): Float32Array {
    if (this.#reach === 0) return samples;
    const input = new Float32Array(this.#input.length + samples.length);
    input.set(this.#input);
    input.set(samples, this.#input.length);
    this.#input = input;
    return this.#produce();
  }

  /** Returns the rest, which depends on silence after the last sample. */
  flush(): Float32Array {
    return this.push(new Float32Array(this.#reach));
  }

  #produce(): Float32Array {
    const [up, down, reach] = [this.#up, this.#down, this.#reach];
    const end = this.#start + this.#input.length;
    const count = Math.max(0, Math.ceil(((end - reach) * up) / down) - this.#produced);
    const output = new Float32Array(count);
    for (let at = 0; at < count; at += 1) {
      const position = (this.#produced + at) * down;
      const nearest = Math.floor(position / up);
      const taps = this.#taps(position % up);
      const from = nearest - reach + 1 - this.#start;
      let value = 0;
      for (let tap = 0; tap < taps.length; tap += 1) value += taps[tap]! * this.#input[from + tap]!;
      output[at] = value;
    }
    this.#produced += count;
    const keepFrom = Math.floor((this.#produced * down) / up) - reach + 1;
    const dropped = Math.min(this.#input.length, Math.max(0, keepFrom - this.#start));
    this.#input = this.#input.slice(dropped);
    this.#start += dropped;
    return output;
  }

  /** Returns the taps for values that lie `phase / up` of the way from one sample to the next; their sum is 1. */
  #taps(phase: number): Float64Array {
    const known = this.#phases.get(phase);
    if (known !== undefined) return known;
    const taps = Float64Array.from({ length: 2 * this.#reach }, (_, tap) => {
      const distance = tap - this.#reach + 1 - phase / this.#up;
      const turn = (Math.PI * distance) / this.#reach;
      return sinc(this.#cutoff * distance) * (0.42 + 0.5 * Math.cos(turn) + 0.08 * Math.cos(2 * turn));
    });
    const sum = taps.reduce((total, tap) => total + tap, 0);
    const normal = taps.map((tap) => tap / sum);
    this.#phases.set(phase, normal);
    return normal;
  }
}

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
}

function greatestDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestDivisor(b, a % b);
}
