import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { TruePeaks } from '../src/master/true-peak.js';

const reach = 16;
const phases = [0.25, 0.5, 0.75].map((share) =>
  Float64Array.from({ length: 2 * reach }, (_, tap) => {
    const distance = tap - (reach - 1) - share;
    const turn = (Math.PI * distance) / reach;
    return (Math.sin(Math.PI * distance) / (Math.PI * distance)) * (0.42 + 0.5 * Math.cos(turn) + 0.08 * Math.cos(2 * turn));
  }),
);

function allPeaks(samples: Float32Array): Float32Array {
  return samples.map((sample, at) => {
    let peak = Math.abs(sample);
    for (const taps of phases) {
      let value = 0;
      for (let tap = 0; tap < taps.length; tap += 1) value += (samples[at - reach + 1 + tap] ?? 0) * taps[tap]!;
      peak = Math.max(peak, Math.abs(value));
    }
    return peak;
  });
}

/** Sums of a few sines, some near half the rate, whose loudness changes, with a step now and then. */
const signal = fc
  .record({
    length: fc.integer({ min: 1, max: 900 }),
    sines: fc.array(fc.record({ turns: fc.double({ min: 0.001, max: 0.499, noNaN: true }), level: fc.double({ min: 0, max: 1, noNaN: true }) }), {
      minLength: 1,
      maxLength: 4,
    }),
    fade: fc.double({ min: 0, max: 0.02, noNaN: true }),
    step: fc.integer({ min: 0, max: 900 }),
  })
  .map(({ length, sines, fade, step }) =>
    Float32Array.from({ length }, (_, at) => {
      const sum = sines.reduce((total, { turns, level }) => total + level * Math.sin(2 * Math.PI * turns * at), 0);
      return sum * Math.exp(-fade * at) + (at === step ? 0.7 : 0);
    }),
  );

describe('TruePeaks', () => {
  it('finds the highest peak exactly, and every peak above a threshold, of any signal', () => {
    fc.assert(
      fc.property(signal, fc.double({ min: 0.05, max: 1, noNaN: true }), (samples, part) => {
        const expected = allPeaks(samples);
        const highest = expected.reduce((most, peak) => Math.max(most, peak), 0);
        const peaks = new TruePeaks(samples);
        assert.equal(peaks.highest, highest);
        const threshold = highest * part;
        const found = peaks.above(threshold);
        for (const [at, peak] of expected.entries()) {
          if (peak > threshold) assert.equal(found[at], peak, `sample ${at}`);
          else assert.ok(found[at]! <= Math.max(peak, threshold), `sample ${at}`);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('finds peaks of a lower threshold after those of a higher one', () => {
    const samples = Float32Array.from({ length: 2000 }, (_, at) => Math.sin(at * 0.3) * (at / 2000));
    const peaks = new TruePeaks(samples);
    peaks.above(0.8);
    const expected = allPeaks(samples);
    const found = peaks.above(0.2);
    for (const [at, peak] of expected.entries()) if (peak > 0.2) assert.equal(found[at], peak);
  });

  it('finds no peak in silence or in nothing', () => {
    assert.equal(new TruePeaks(new Float32Array(500)).highest, 0);
    assert.equal(new TruePeaks(new Float32Array(0)).highest, 0);
  });
});
