import { Histogram } from '../histogram.js';
import { checkThresholds, type Figures, type ThresholdResult, type Thresholds } from '../thresholds.js';
import type { Distribution, ProcessSeries, Report } from './report.js';

/** A run is void if the p99 of its own lateness exceeds this, ms. */
export const lateMsMax = 50;
const growthPointsMin = 20;
/** Samples of the used heap in a quarter of the load: fewer may all lie far from a collection. */
const heapSamplesMin = 10;
/** Processes of the load are in the report, but are not part of Perch. */
export const workerName = 'load worker';

export function distributionOf(texts: readonly string[]): Distribution {
  const sum = Histogram.sum(texts);
  return { count: sum.count, p50_ms: sum.percentileMs(50), p99_ms: sum.percentileMs(99), max_ms: sum.maxMs, histogram: sum.text() };
}

/** Returns the ratio of the mean of the last tenth of the values to that of the second tenth, or null if there are too few. */
export function growthOf(values: readonly (number | null)[]): number | null {
  if (values.length < growthPointsMin || values.includes(null)) return null;
  const tenth = Math.floor(values.length / 10);
  const mean = (some: readonly (number | null)[]): number => some.reduce<number>((sum, value) => sum + value!, 0) / some.length;
  return Math.round((mean(values.slice(-tenth)) / mean(values.slice(tenth, 2 * tenth))) * 1000) / 1000;
}

/** Returns the ratio of the lowest value in the last quarter to that in the second quarter, or null if one of them has too few values. */
export function heapGrowthOf(values: readonly (number | null)[]): number | null {
  const quarter = Math.floor(values.length / 4);
  const [second, last] = [values.slice(quarter, 2 * quarter), values.slice(-quarter)].map((some) => some.filter((value) => value !== null));
  if (quarter === 0 || second!.length < heapSamplesMin || last!.length < heapSamplesMin) return null;
  return Math.round((Math.min(...last!) / Math.min(...second!)) * 1000) / 1000;
}

export function thresholdResultsOf(thresholds: Thresholds, report: Omit<Report, 'thresholds'>): ThresholdResult[] {
  return checkThresholds(thresholds, figuresOf(report));
}

function figuresOf(report: Omit<Report, 'thresholds'>): Figures {
  const { storm, actions, errors } = report;
  const own = report.processes.filter(({ name }) => !name.startsWith(workerName));
  const most = (ratios: readonly (number | null | undefined)[]): number | null => {
    const known = ratios.filter((ratio) => ratio !== null && ratio !== undefined);
    return known.length === 0 ? null : Math.max(...known);
  };
  return {
    p50_ms: report.p50_ms,
    p99_ms: report.p99_ms,
    errors,
    error_ratio: actions === 0 ? 0 : errors / actions,
    lost: report.lost,
    doubled: report.doubled,
    not_connected: report.robots - report.connected,
    storm_back_s: storm === null ? null : (storm.back_s ?? Number.MAX_SAFE_INTEGER),
    storm_others_p99_ms: storm?.others.p99_ms ?? null,
    late_heartbeats: report.late_heartbeats,
    memory_growth_ratio: most(own.map(({ growth }) => growth)),
    heap_growth_ratio: most(own.map(({ heap_growth: growth }) => growth)),
  };
}

/** 0: all thresholds held; 1: one did not, or an instance ended unexpectedly; 3: the run is void. */
export function exitCodeOf({ void: isVoidRun, thresholds, trouble }: Report): 0 | 1 | 3 {
  if (isVoidRun) return 3;
  return trouble.length === 0 && thresholds.every(({ held }) => held) ? 0 : 1;
}

export function isVoid({ late_ms: lateMs }: Pick<Report, 'late_ms'>): boolean {
  return lateMs > lateMsMax;
}

export function processOf(series: Omit<ProcessSeries, 'growth' | 'heap_growth'>): ProcessSeries {
  return { ...series, growth: growthOf(series.rss_mb), heap_growth: heapGrowthOf(series.heap_mb ?? []) };
}
