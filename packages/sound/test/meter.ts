/** Loudness and true peak by ITU-R BS.1770-5, apart from the code under test: at 48 kHz, with the filters printed in annex 1. */

const tables = [
  { b: [1.53512485958697, -2.69169618940638, 1.19839281085285], a: [-1.69065929318241, 0.73248077421585] },
  { b: [1, -2, 1], a: [-1.99004745483398, 0.99007225036621] },
] as const;
const tableRate = 48_000;

/** @param rate must divide 48,000 @returns LUFS of the loudest 400 ms */
export function momentaryMax(samples: Float64Array, rate: number): number {
  let weighted = oversampled(samples, tableRate / rate);
  for (const { b, a } of tables) {
    const filtered = new Float64Array(weighted.length);
    let [x1, x2, y1, y2] = [0, 0, 0, 0];
    for (let n = 0; n < weighted.length; n += 1) {
      const x = weighted[n]!;
      const y = b[0] * x + b[1] * x1 + b[2] * x2 - a[0] * y1 - a[1] * y2;
      x2 = x1;
      x1 = x;
      y2 = y1;
      y1 = y;
      filtered[n] = y;
    }
    weighted = filtered;
  }
  const window = 0.4 * tableRate;
  let sum = 0;
  let most = 0;
  for (let n = 0; n < weighted.length; n += 1) {
    sum += weighted[n]! ** 2 - (weighted[n - window] ?? 0) ** 2;
    most = Math.max(most, sum);
  }
  return -0.691 + 10 * Math.log10(most / window);
}

/** Returns the true peak in dBTP, by 4x oversampling as in annex 2. */
export function truePeak(samples: Float64Array): number {
  let most = 0;
  for (const value of oversampled(samples, 4)) most = Math.max(most, Math.abs(value));
  return 20 * Math.log10(most);
}

/** Interpolates with a sinc under a Hann window. */
function oversampled(samples: Float64Array, factor: number): Float64Array {
  if (factor === 1) return samples;
  const reach = 24;
  const phases = Array.from({ length: factor }, (_, phase) =>
    Float64Array.from({ length: 2 * reach }, (_, tap) => {
      const distance = tap - reach + 1 - phase / factor;
      return distance === 0 ? 1 : ((0.5 + 0.5 * Math.cos((Math.PI * distance) / reach)) * Math.sin(Math.PI * distance)) / (Math.PI * distance);
    }),
  );
  const raised = new Float64Array(samples.length * factor);
  for (let n = 0; n < raised.length; n += 1) {
    const taps = phases[n % factor]!;
    const from = Math.floor(n / factor) - reach + 1;
    const end = Math.min(taps.length, samples.length - from);
    let sum = 0;
    for (let tap = Math.max(0, -from); tap < end; tap += 1) sum += taps[tap]! * samples[from + tap]!;
    raised[n] = sum;
  }
  return raised;
}
