import assert from 'node:assert/strict';
import { Pace } from '../src/api/pace.js';

const intervalMs = 40;

describe('pace of requests', () => {
  const { signal } = new AbortController();

  it('lets the first call pass at once, and the others in order, one in each interval', async () => {
    const pace = new Pace(intervalMs);
    const startedAt = performance.now();
    const passed: { call: number; afterMs: number }[] = [];
    await Promise.all([0, 1, 2, 3].map(async (call) => pace.next(signal).then(() => passed.push({ call, afterMs: performance.now() - startedAt }))));
    assert.deepEqual(
      passed.map(({ call }) => call),
      [0, 1, 2, 3],
    );
    // Timers may fire up to 1 ms early.
    for (const { call, afterMs } of passed) assert.ok(afterMs >= call * (intervalMs - 1), `${call}: ${afterMs} ms`);
    assert.ok(passed[0]!.afterMs < intervalMs / 2);
  });

  it('lets a call pass at once after an interval without calls', async () => {
    const pace = new Pace(intervalMs);
    await pace.next(signal);
    await new Promise((resolve) => setTimeout(resolve, 2 * intervalMs));
    const startedAt = performance.now();
    await pace.next(signal);
    assert.ok(performance.now() - startedAt < intervalMs / 2);
  });

  it('rejects an aborted call, which takes no interval from the calls behind it', async () => {
    const pace = new Pace(intervalMs);
    await pace.next(signal);
    const gone = new AbortController();
    const aborted = Array.from({ length: 50 }, () => pace.next(gone.signal));
    const startedAt = performance.now();
    const next = pace.next(signal);
    gone.abort(new Error('the page was left'));
    for (const call of aborted) await assert.rejects(call, /the page was left/);
    await assert.rejects(pace.next(gone.signal), /the page was left/);
    await next;
    assert.ok(performance.now() - startedAt < 10 * intervalMs, 'not 51 intervals');
  });
});
