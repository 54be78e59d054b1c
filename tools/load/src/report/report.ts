/** As written by `--json`. Histograms are text (base64 of the HDR format), so that reports of several machines can be merged exactly. */
import type { Machine } from '@perch/bench';
import type { CallKind, Mix, ReaderKind } from '../mix.js';
import type { ThresholdResult } from '../thresholds.js';

export interface Report {
  robots: number;
  /** Robots with a session at the end of the load. */
  connected: number;
  actions: number;
  /** Calls that the service failed, or answered with 429. */
  errors: number;
  /** Latency of calls other than questions, from the moment they were due. */
  p50_ms: number;
  p99_ms: number;
  events_sent: number;
  events_seen: number;
  /** Events that no program received, and confirmed commands that never reached their robot. */
  lost: number;
  /** Events that a program received twice, and commands that a robot received twice. */
  doubled: number;
  /** 99th percentile of the delay between due and actual start of calls. */
  late_ms: number;
  /** The load was too late for meaningful figures. */
  void: boolean;
  thresholds: ThresholdResult[];
  trouble: string[];
  at: string;
  version: string;
  seed: string;
  rate: number;
  minutes: number;
  part: string;
  parts: number;
  mix: Mix;
  services: Record<string, number> | null;
  workers: number;
  machine: Machine;
  calls: Record<CallKind, { count: number; p50_ms: number; p99_ms: number; max_ms: number; histogram: string }>;
  codes: Record<string, number>;
  /** Calls that failed because their robot was offline, as observed by the load. */
  away: number;
  refused: number;
  asks: Record<string, number>;
  /** Time from the tap on an answer to the end of the call. */
  answers: Distribution;
  events: Record<ReaderKind, Distribution & { robots: number; sent: number; seen: number; doubled: number }>;
  redelivered: number;
  reader_codes: Record<string, number>;
  commands: { confirmed: number; done: number; lost: number; doubled: number };
  late: Distribution;
  away_times: Distribution;
  /** Late heartbeats of all instances during the load; null: no instance has the metric. */
  late_heartbeats: number | null;
  storm: Storm | null;
  series: Series;
  processes: ProcessSeries[];
  problems: string[];
}

export interface Distribution {
  count: number;
  p50_ms: number;
  p99_ms: number;
  max_ms: number;
  histogram: string;
}

export interface Storm {
  killed: string;
  lost: number;
  back: number;
  /** Seconds from the kill until the last of them had a session again; null: not all did. */
  back_s: number | null;
  others: Distribution;
}

/** One value per interval; `s` is its end, in seconds from the start of the load. */
export interface Series {
  s: number[];
  connected: number[];
  started: number[];
  errors: number[];
  p50_ms: number[];
  p99_ms: number[];
  late_p99_ms: number[];
  events_p99_ms: number[];
  calls: string[];
}

export interface ProcessSeries {
  name: string;
  /** MB (10^6) by interval; null: the process had ended. */
  rss_mb: (number | null)[];
  /** Heap that V8 uses, MB, every 15 s or more rarely, else null. Reports before 0.10.0 lack it. */
  heap_mb?: (number | null)[];
  /** Mean number of cores during the load. */
  cores: number;
  /** The same by interval; null: the process had ended. */
  cores_series: (number | null)[];
  /** Ratio of the memory in the last tenth of the load to that in the second tenth; null: the load was too short, or the process ended. */
  growth: number | null;
  /**
   * The lowest used heap in the last quarter of the load divided by that in the second quarter: right after a collection the used heap is what lives.
   * Null: the load was too short, or the process ended or is not one of Node.js.
   */
  heap_growth?: number | null;
}
