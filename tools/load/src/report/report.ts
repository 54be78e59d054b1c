/** The report of a run, as `--json` writes it. Histograms are text (base64 of the HDR format), so that reports of several machines can be merged exactly. */
import type { Machine } from '@perch/bench';
import type { CallKind, Mix, ReaderKind } from '../mix.js';
import type { Judgement } from '../thresholds.js';

export interface Report {
  robots: number;
  /** Robots with a session at the end of the load. */
  connected: number;
  /** Calls of programs, questions among them. */
  actions: number;
  /** Calls that failed by the service, or were answered with 429. */
  errors: number;
  /** Of calls other than questions, from the moment when they were due. */
  p50_ms: number;
  p99_ms: number;
  events_sent: number;
  events_seen: number;
  /** Events that no program received, and commands that were confirmed and never reached their robot. */
  lost: number;
  /** Events that a program received twice, and commands that a robot was sent twice. */
  doubled: number;
  /** 99 % of the calls started at most so late after they were due. */
  late_ms: number;
  /** The load was so late that the figures mean nothing. */
  void: boolean;
  thresholds: Judgement[];
  /** Instances that ended by themselves. */
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
  /** Calls that failed because their robot was not connected, which the load knows. */
  away: number;
  /** Calls that were refused as wrong. */
  refused: number;
  asks: Record<string, number>;
  /** From the tap on an answer to the end of the call. */
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
  /** Robots that lost their session. */
  lost: number;
  back: number;
  /** From the kill until the last of them had a session again; null: not all came back. */
  back_s: number | null;
  /** Calls to the other robots meanwhile. */
  others: Distribution;
}

/** A value for each interval; `s` is its end, in seconds from the start of the load. */
export interface Series {
  s: number[];
  connected: number[];
  started: number[];
  errors: number[];
  p50_ms: number[];
  p99_ms: number[];
  late_p99_ms: number[];
  events_p99_ms: number[];
  /** Histograms of the calls. */
  calls: string[];
}

export interface ProcessSeries {
  name: string;
  /** MB (10^6), by interval; null: it had ended. */
  rss_mb: (number | null)[];
  /** Mean number of cores during the load. */
  cores: number;
  /** Memory in the last tenth of the load against its second tenth; null: the load was too short, or the process ended. */
  growth: number | null;
}
