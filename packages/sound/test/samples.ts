export function samplesOf(pcm: Buffer): Float64Array {
  const samples = new Float64Array(pcm.length / 2);
  for (let at = 0; at < samples.length; at += 1) samples[at] = pcm.readInt16LE(at * 2) / 32_768;
  return samples;
}

export function rms(samples: Float64Array): number {
  return Math.sqrt(samples.reduce((sum, value) => sum + value * value, 0) / samples.length);
}

/** Returns the amplitude of one frequency, with a Blackman window, so that components a few Hz away do not leak into it. */
export function amplitudeAt(samples: Float64Array, hertz: number, rate: number): number {
  return amplitudeIn(windowed(samples), hertz, rate);
}

interface Windowed {
  samples: Float64Array;
  /** Sum of the window. */
  weight: number;
}

const windows = new Map<number, Float64Array>();

function blackman(length: number): Float64Array {
  let found = windows.get(length);
  if (found === undefined) {
    found = new Float64Array(length);
    for (let at = 0; at < length; at += 1) {
      const turn = (2 * Math.PI * at) / (length - 1);
      found[at] = 0.42 - 0.5 * Math.cos(turn) + 0.08 * Math.cos(2 * turn);
    }
    windows.set(length, found);
  }
  return found;
}

function windowed(samples: Float64Array): Windowed {
  const window = blackman(samples.length);
  const made = new Float64Array(samples.length);
  let weight = 0;
  for (let at = 0; at < made.length; at += 1) {
    made[at] = samples[at]! * window[at]!;
    weight += window[at]!;
  }
  return { samples: made, weight };
}

/** By Goertzel's recurrence, which takes no sine for each sample. */
function amplitudeIn({ samples, weight }: Windowed, hertz: number, rate: number): number {
  const twice = 2 * Math.cos((2 * Math.PI * hertz) / rate);
  let last = 0;
  let before = 0;
  for (let at = 0; at < samples.length; at += 1) {
    const next = samples[at]! + twice * last - before;
    before = last;
    last = next;
  }
  return (2 * Math.sqrt(Math.max(0, last * last + before * before - twice * last * before))) / weight;
}

/** Returns the strongest frequency within half a semitone of `hertz`, accurate to 0.01 cent. */
export function strongestNear(samples: Float64Array, hertz: number, rate: number): number {
  const within = windowed(samples);
  let low = hertz * 2 ** (-0.5 / 12);
  let high = hertz * 2 ** (0.5 / 12);
  while (high / low > 1 + 5e-6) {
    const a = low + (high - low) * 0.382;
    const b = low + (high - low) * 0.618;
    if (amplitudeIn(within, a, rate) > amplitudeIn(within, b, rate)) high = b;
    else low = a;
  }
  return (low + high) / 2;
}

export function cents(hertz: number, reference: number): number {
  return 1200 * Math.log2(hertz / reference);
}
