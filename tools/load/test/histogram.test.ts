import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Histogram } from '../src/histogram.js';

function of(values: readonly number[]): Histogram {
  const histogram = new Histogram();
  for (const value of values) histogram.record(value);
  return histogram;
}

describe('Histogram', () => {
  it('returns percentiles within a thousandth of the exact ones', () => {
    const histogram = of(Array.from({ length: 10_000 }, (_, i) => (i + 1) / 10));
    assert.ok(Math.abs(histogram.percentileMs(50) - 500) < 1);
    assert.ok(Math.abs(histogram.percentileMs(99) - 990) < 2);
  });

  it('returns 0 and an empty text if nothing was recorded', () => {
    const histogram = new Histogram();
    assert.deepEqual([histogram.percentileMs(99), histogram.maxMs, histogram.text()], [0, 0, '']);
    assert.equal(Histogram.sum(['', '']).count, 0);
  });

  it('counts more than an hour as an hour, and a negative time as 0', () => {
    const histogram = of([1e12, -5]);
    assert.equal(histogram.count, 2);
    assert.ok(Math.abs(histogram.maxMs - 3_600_000) < 3600);
  });

  it('merges exactly by its text: the percentiles of the sum are those of all values together', () => {
    const values = fc.array(fc.double({ min: 0, max: 100_000, noNaN: true }), { maxLength: 200 });
    fc.assert(
      fc.property(values, values, (first, second) => {
        const sum = Histogram.sum([of(first).text(), of(second).text()]);
        const all = of([...first, ...second]);
        assert.equal(sum.count, all.count);
        for (const percent of [1, 50, 90, 99, 100]) assert.equal(sum.percentileMs(percent), all.percentileMs(percent));
      }),
      { numRuns: 50 },
    );
  });
});
