import assert from 'node:assert/strict';
import { TraceSampler } from '../../src/traces/otlp-tracing.js';

const countOf = (sampler: TraceSampler, requested: boolean, calls: number): number =>
  Array.from({ length: calls }, () => sampler.decides(requested)).filter(Boolean).length;

describe('the sampler of traces', () => {
  it('records every call with the ratio 1, and with the ratio 0 only calls whose caller records its trace', () => {
    assert.equal(countOf(new TraceSampler(1, 0), false, 100), 100);
    assert.equal(countOf(new TraceSampler(0, 0), false, 100), 0);
    assert.equal(countOf(new TraceSampler(0, 0), true, 100), 0);
    assert.equal(countOf(new TraceSampler(1, 0), true, 100), 100);
  });

  it('records about the configured ratio of the calls', () => {
    // The tolerance is ten standard deviations of a binomial distribution.
    const count = countOf(new TraceSampler(0.1, 0), false, 10_000);
    assert.ok(count > 700 && count < 1300, String(count));
  });

  it('limits the traces that callers demand to the configured rate', () => {
    const sampler = new TraceSampler(0, 10);
    const began = performance.now();
    const count = countOf(sampler, true, 10_000);
    const most = 10 + ((performance.now() - began) / 1000) * 10 + 1;
    assert.ok(count >= 10 && count <= most, `${count} of ${most}`);
    assert.equal(countOf(sampler, false, 100), 0);
  });
});
