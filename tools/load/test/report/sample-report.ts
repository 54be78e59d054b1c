/** A small report, as `reportOf` computes it from two workers. */
import { Histogram } from '../../src/histogram.js';
import { callKinds, defaultMix, readerKinds } from '../../src/mix.js';
import { loadArguments } from '../../src/options.js';
import { reportOf } from '../../src/report/report-of.js';
import type { Report } from '../../src/report/report.js';
import type { WorkerResult } from '../../src/worker/plan.js';

export function histogramText(values: readonly number[]): string {
  const histogram = new Histogram();
  for (const value of values) histogram.record(value);
  return histogram.text();
}

export function workerResult(changes: Partial<WorkerResult> = {}): WorkerResult {
  const latencies = histogramText([2, 4, 6]);
  return {
    connected: 5,
    codes: { ok: 3 },
    errors: 0,
    away: 0,
    refused: 0,
    calls: Object.fromEntries(callKinds.map((kind) => [kind, kind === 'leds' ? latencies : ''])) as WorkerResult['calls'],
    late: histogramText([0.5, 1]),
    answers: '',
    others: '',
    awayTimes: '',
    asks: {},
    readers: Object.fromEntries(
      readerKinds.map((kind) => [kind, { robots: 1, sent: 2, seen: 2, doubled: 0, histogram: latencies }]),
    ) as WorkerResult['readers'],
    redelivered: 0,
    readerCodes: {},
    commands: { confirmed: 3, done: 3, lost: 0, doubled: 0 },
    problems: [],
    ...changes,
  };
}

export function sampleReport(results: WorkerResult[] = [workerResult()], args: string[] = [], changes: Partial<Report> = {}): Report {
  const report = reportOf({
    args: loadArguments(['--robots', '10', ...args]),
    mix: defaultMix,
    seed: 'seed',
    version: '0.11.0',
    robots: 5 * results.length,
    results,
    series: {
      s: [1, 2],
      connected: [5, 5],
      started: [1, 2],
      errors: [0, 0],
      p50_ms: [2, 5],
      p99_ms: [2, 6],
      late_p99_ms: [1, 1],
      events_p99_ms: [3, 4],
      calls: [histogramText([2]), histogramText([4, 6])],
    },
    processes: [{ name: 'gateway <1>', rss_mb: [100, null], cores: 0.1, cores_series: [0.1, null], growth: null }],
    storm: null,
    lateHeartbeats: null,
    trouble: [],
  });
  return { ...report, ...changes };
}
