import assert from 'node:assert/strict';
import { mergedReport, readReport } from '../../src/report/merge.js';
import { histogramText, sampleReport, workerResult } from './sample-report.js';

const { calls } = workerResult();
const slow = workerResult({ calls: { ...calls, leds: histogramText([50, 60, 70]) } });

describe('merged reports', () => {
  it('merged reports have the figures of one machine with both loads', () => {
    const parts = [sampleReport([workerResult()], ['--part', '1/2']), sampleReport([slow], ['--part', '2/2'])];
    const merged = mergedReport(parts, {});
    const whole = sampleReport([workerResult(), slow]);
    for (const name of [
      'robots',
      'connected',
      'actions',
      'errors',
      'p50_ms',
      'p99_ms',
      'events_sent',
      'events_seen',
      'lost',
      'doubled',
      'late_ms',
    ] as const) {
      assert.equal(merged[name], whole[name], name);
    }
    assert.deepEqual(merged.calls, whole.calls);
    assert.deepEqual(merged.events, whole.events);
    assert.equal(merged.rate, whole.rate);
    assert.deepEqual(merged.series.started, [2, 4]);
    assert.equal(merged.series.p50_ms[1], sampleReport().series.p50_ms[1]! - 1);
  });

  it('the given thresholds apply to merged reports', () => {
    assert.equal(mergedReport([sampleReport()], { p99_ms: 1 }).thresholds.find(({ name }) => name === 'p99_ms')?.held, false);
  });

  it('marks the result void if one part is void', () => {
    const parts = [sampleReport([], ['--part', '1/2'], { void: true }), sampleReport([workerResult()], ['--part', '2/2'])];
    assert.equal(mergedReport(parts, {}).void, true);
  });

  it('rejects reports of different mixes, and a part given twice', () => {
    const one = sampleReport([workerResult()], ['--part', '1/2']);
    const other = sampleReport([workerResult()], ['--part', '2/2']);
    assert.throws(() => mergedReport([one, { ...other, mix: { ...other.mix, poll_seconds: 1 } }], {}), /--merge: the reports are of different mixes/);
    assert.throws(() => mergedReport([one, one], {}), /--merge: a part is given more than once/);
  });

  it('rejects a file that is not a report and names it', () => {
    assert.throws(() => readReport('a.json', '{'), /--merge a\.json: is not a report/);
    assert.throws(() => readReport('a.json', '{"robots":1}'), /--merge a\.json: .*connected is missing/);
    const broken = sampleReport();
    assert.throws(() => readReport('b.json', JSON.stringify({ ...broken, late: { ...broken.late, histogram: 'xyz' } })), /--merge b\.json/);
    assert.equal(readReport('c.json', JSON.stringify(broken)).actions, 3);
  });
});
