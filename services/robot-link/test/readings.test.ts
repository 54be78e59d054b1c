import assert from 'node:assert/strict';
import fc from 'fast-check';
import { RobotReadings } from '../src/session/state.js';

const everyMs = 30_000;
const sweepMs = 1000;
const reportMs = 2000;

/** Returns when readings that are reported with these delays are saved, ms, by a sweep each second. */
function savesOf(delays: readonly number[], sweepAt: number): number[] {
  const readings = new RobotReadings();
  const reports = delays.map((delay, i) => i * reportMs + delay).toSorted((a, b) => a - b);
  const saves: number[] = [];
  for (let now = sweepAt; now < delays.length * reportMs; now += sweepMs) {
    for (; reports.length > 0 && reports[0]! <= now; reports.shift()) readings.accept({ battery_pct: 50 }, reports[0]!, () => {});
    if (readings.takeDue(now, everyMs)) saves.push(now);
  }
  return saves;
}

describe('the readings of a robot', () => {
  it('saves those of a robot that reports every 2 s within 33 s, and then 30 to 31 s after each save', () => {
    const delays = fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 120, maxLength: 120 });
    fc.assert(
      fc.property(delays, fc.integer({ min: 0, max: sweepMs - 1 }), (late, sweepAt) => {
        const saves = savesOf(late, sweepAt);
        assert.ok(saves[0]! <= everyMs + sweepMs + reportMs, `the first at ${saves[0]} ms`);
        for (let i = 1; i < saves.length; i++) {
          const apart = saves[i]! - saves[i - 1]!;
          assert.ok(apart >= everyMs && apart <= everyMs + sweepMs, `${apart} ms apart`);
        }
        assert.ok(saves.length >= 6, `${saves.length} saves in 4 min`);
      }),
      { numRuns: 100 },
    );
  });

  it('saves no readings twice, and saves new ones at the first sweep if the last save is more than 30 s ago', () => {
    const readings = new RobotReadings();
    const report = (at: number): void => readings.accept({ battery_pct: 50 }, at, () => {});
    assert.equal(readings.takeDue(1000, everyMs), false, 'before the first report');
    report(2000);
    const first = Array.from({ length: 32 }, (_, i) => 2000 + i * sweepMs).find((now) => readings.takeDue(now, everyMs))!;
    assert.ok(first <= 2000 + everyMs, `${first} ms`);
    for (let now = first; now < first + 3 * everyMs; now += sweepMs) assert.equal(readings.takeDue(now, everyMs), false);
    // In the millisecond of a save, a later report is not part of it.
    report(first + 3 * everyMs);
    assert.equal(readings.takeDue(first + 3 * everyMs, everyMs), true);
    report(first + 3 * everyMs);
    assert.equal(readings.takeDue(first + 4 * everyMs - 1, everyMs), false);
    assert.equal(readings.takeDue(first + 4 * everyMs, everyMs), true);
  });
});
