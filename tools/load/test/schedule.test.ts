import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Random } from '@perch/chaos';
import { Arrivals, shareOf } from '../src/schedule.js';
import { Lateness, runDue } from '../src/worker/due-starts.js';
import { sharedNow } from '../src/worker/shared-clock.js';

function dues(perS: number, forMs: number, seed = 'test'): number[] {
  const arrivals = new Arrivals(perS, new Random(seed));
  const all: number[] = [];
  for (; arrivals.dueMs < forMs; arrivals.next()) all.push(arrivals.dueMs);
  return all;
}

describe('the schedule of calls', () => {
  it('has the requested mean rate', () => {
    const count = dues(100, 600_000).length;
    assert.ok(Math.abs(count - 60_000) < 1200, `${count} arrivals instead of about 60,000`);
  });

  it('repeats for the same seed, in ascending order', () => {
    const first = dues(50, 10_000);
    assert.deepEqual(first, dues(50, 10_000));
    assert.notDeepEqual(first, dues(50, 10_000, 'other'));
    assert.deepEqual(
      first,
      first.toSorted((a, b) => a - b),
    );
  });

  it('has no calls at a rate of 0', () => {
    assert.deepEqual(dues(0, 1e9), []);
  });
});

describe('the starts of a schedule', () => {
  it('each arrival of a schedule is started, none early, also those that became due while the process was busy', async () => {
    const expected = dues(200, 300).length;
    const lateness = new Lateness();
    const startedAt = sharedNow();
    const earlyMs: number[] = [];
    let isBusy = true;
    const start = (dueAt: number): void => {
      earlyMs.push(dueAt - sharedNow());
      if (isBusy) while (sharedNow() < startedAt + 100);
      isBusy = false;
    };
    await runDue(300, new Arrivals(200, new Random('test')), start, lateness);
    assert.equal(earlyMs.length, expected);
    assert.ok(
      earlyMs.every((ms) => ms <= 0),
      JSON.stringify(earlyMs),
    );
    assert.ok(sharedNow() - startedAt >= 300, 'it ended before its time');
    assert.equal(lateness.all.count, expected);
    assert.ok(lateness.all.maxMs > 50, `${lateness.all.maxMs} ms late at most`);
  });
});

describe('the share of a part', () => {
  it('adds up to the whole over all parts, and differs by at most one', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 100_000 }), fc.integer({ min: 1, max: 50 }), (total, count) => {
        const shares = Array.from({ length: count }, (_, index) => shareOf(total, index, count));
        assert.equal(
          shares.reduce((sum, share) => sum + share, 0),
          total,
        );
        assert.ok(Math.max(...shares) - Math.min(...shares) <= 1);
      }),
    );
  });
});
