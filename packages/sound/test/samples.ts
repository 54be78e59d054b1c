export function samplesOf(pcm: Buffer): Float64Array {
  return Float64Array.from({ length: pcm.length / 2 }, (_, at) => pcm.readInt16LE(at * 2) / 32_768);
}

export function rms(samples: Float64Array): number {
  return Math.sqrt(samples.reduce((sum, value) => sum + value * value, 0) / samples.length);
}

/** Returns the amplitude of one frequency, with a Blackman window, so that components a few Hz away do not leak into it. */
export function amplitudeAt(samples: Float64Array, hertz: number, rate: number): number {
  let re = 0;
  let im = 0;
  let weight = 0;
  for (let at = 0; at < samples.length; at += 1) {
    const turn = (2 * Math.PI * at) / (samples.length - 1);
    const window = 0.42 - 0.5 * Math.cos(turn) + 0.08 * Math.cos(2 * turn);
    const angle = (2 * Math.PI * hertz * at) / rate;
    re += samples[at]! * window * Math.cos(angle);
    im += samples[at]! * window * Math.sin(angle);
    weight += window;
  }
  return (2 * Math.hypot(re, im)) / weight;
}

/** Returns the strongest frequency within half a semitone of `hertz`, accurate to 0.01 cent. */
export function strongestNear(samples: Float64Array, hertz: number, rate: number): number {
  let low = hertz * 2 ** (-0.5 / 12);
  let high = hertz * 2 ** (0.5 / 12);
  while (high / low > 1 + 5e-6) {
    const a = low + (high - low) * 0.382;
    const b = low + (high - low) * 0.618;
    if (amplitudeAt(samples, a, rate) > amplitudeAt(samples, b, rate)) high = b;
    else low = a;
  }
  return (low + high) / 2;
}

export function cents(hertz: number, reference: number): number {
  return 1200 * Math.log2(hertz / reference);
}
