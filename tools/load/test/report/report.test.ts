import assert from 'node:assert/strict';
import { exitCodeOf, growthOf, heapGrowthOf } from '../../src/report/assemble.js';
import { mergedReport } from '../../src/report/merge.js';
import { summaryOf } from '../../src/report/summary.js';
import { histogramText, sampleReport, workerResult } from './sample-report.js';

describe('the report of a run', () => {
  it('has the fields for programs at the top level', () => {
    const { robots, connected, actions, errors, events_sent, events_seen, lost, doubled, p50_ms, p99_ms, late_ms } = sampleReport();
    assert.deepEqual(
      { robots, connected, actions, errors, events_sent, events_seen, lost, doubled },
      { robots: 5, connected: 5, actions: 3, errors: 0, events_sent: 6, events_seen: 6, lost: 0, doubled: 0 },
    );
    assert.deepEqual([p50_ms, p99_ms, late_ms].map(Math.round), [4, 6, 1]);
  });

  it('counts missing events and confirmed commands that never came as lost, repetitions of both as doubled', () => {
    const { readers, commands } = workerResult();
    const worker = workerResult({
      readers: { ...readers, poll: { ...readers.poll, seen: 1 }, stream: { ...readers.stream, doubled: 3 } },
      commands: { ...commands, lost: 2, doubled: 1 },
    });
    const { lost, doubled } = sampleReport([worker, workerResult()]);
    assert.deepEqual({ lost, doubled }, { lost: 3, doubled: 4 });
  });

  it('excludes questions from the latency of calls', () => {
    const { calls } = workerResult();
    const { p99_ms } = sampleReport([workerResult({ calls: { ...calls, ask: histogramText([20_000]) } })]);
    assert.ok(p99_ms < 10, String(p99_ms));
  });

  it('exits with 0 if all thresholds held and with 1 otherwise', () => {
    assert.equal(exitCodeOf(sampleReport()), 0);
    assert.equal(exitCodeOf(sampleReport([workerResult()], ['--threshold', 'p99_ms=1'])), 1);
    assert.equal(exitCodeOf(sampleReport([workerResult()], [], { trouble: ['gateway gw-1 ended with code 1'] })), 1);
    assert.equal(exitCodeOf(sampleReport([workerResult({ connected: 4 })])), 1);
    assert.equal(exitCodeOf(sampleReport([workerResult({ errors: 1 })], ['--threshold', 'error_ratio=1'])), 0);
  });

  it('marks the run as void, and says so, if the load itself was late', () => {
    const report = sampleReport([workerResult({ late: histogramText([60, 60]) })]);
    assert.equal(exitCodeOf(report), 3);
    assert.match(summaryOf(report), /VOID: the load itself was 60/);
    assert.doesNotMatch(summaryOf(sampleReport()), /VOID/);
  });

  it('does not check a figure that the run does not have', () => {
    const { thresholds } = sampleReport([workerResult()], ['--threshold', 'storm_back_s=15']);
    assert.deepEqual(
      thresholds.find(({ name }) => name === 'storm_back_s'),
      { name: 'storm_back_s', most: 15, found: null, held: true },
    );
  });

  it('checks the memory of the services, and not that of the load itself', () => {
    const processes = ['gateway', 'load worker 1'].map((name, i) => ({ name, rss_mb: [100], cores: 0.1, cores_series: [0.1], growth: 1 + i }));
    const report = sampleReport([workerResult()], ['--threshold', 'memory_growth_ratio=1.1'], { processes });
    const { held, found } = mergedReport([report], { memory_growth_ratio: 1.1 }).thresholds.find(({ name }) => name === 'memory_growth_ratio')!;
    assert.deepEqual({ held, found }, { held: true, found: 1 });
  });

  it('compares the memory of the last tenth with that of the second tenth, unless the process ended or the run was short', () => {
    const flat = Array.from({ length: 40 }, (_, i) => (i < 4 ? 50 : 100));
    assert.equal(growthOf(flat), 1);
    assert.equal(growthOf(flat.map((value, i) => (i >= 36 ? 150 : value))), 1.5);
    assert.equal(growthOf([...flat, null]), null);
    assert.equal(growthOf([1, 2, 3]), null);
  });

  it('compares the lowest used heap of the last quarter with that of the second quarter, whatever a collection left uncollected between', () => {
    const sawtooth = Array.from({ length: 120 }, (_, i) => (i % 3 === 0 ? 40 + (i % 10) * 5 : null));
    assert.equal(heapGrowthOf(sawtooth), 1);
    assert.equal(heapGrowthOf(sawtooth.map((value, i) => (value !== null && i >= 90 ? value * 1.25 : value))), 1.25);
    assert.equal(heapGrowthOf(sawtooth.slice(0, 60)), null);
    assert.equal(heapGrowthOf([]), null);
  });

  it('holds a threshold of the heap against the process whose heap grew most', () => {
    const process = { rss_mb: [100], cores: 0.1, cores_series: [0.1], growth: null };
    const processes = [
      { ...process, name: 'gateway', heap_growth: 1.02 },
      { ...process, name: 'robot-link', heap_growth: 1.3 },
      { ...process, name: 'Redis', heap_growth: null },
    ];
    const report = sampleReport([workerResult()], ['--threshold', 'heap_growth_ratio=1.1'], { processes });
    const { held, found } = mergedReport([report], { heap_growth_ratio: 1.1 }).thresholds.find(({ name }) => name === 'heap_growth_ratio')!;
    assert.deepEqual({ held, found }, { held: false, found: 1.3 });
  });
});
