/** Samples workers and processes at regular intervals during the load, for the progress line and the series of the report. */
import type { Worker } from '@perch/bench';
import { distributionOf, processOf } from './report/assemble.js';
import type { ProcessSeries, Series } from './report/report.js';
import type { WatchedProcess } from './system/system.js';
import type { Sample } from './worker/plan.js';

export interface WatchOptions {
  workers: readonly Worker[];
  processes: readonly WatchedProcess[];
  durationMs: number;
  log: (line: string) => void;
}

const pointsMax = 300;
const intervalMsMin = 1000;
const progressEveryMs = 5000;

export class Watch {
  readonly series: Series = {
    s: [],
    connected: [],
    started: [],
    errors: [],
    p50_ms: [],
    p99_ms: [],
    late_p99_ms: [],
    events_p99_ms: [],
    calls: [],
  };
  readonly #options: WatchOptions;
  readonly #intervalMs: number;
  readonly #startedAt = performance.now();
  readonly #rssMb: (number | null)[][];
  readonly #heapMb: (number | null)[][];
  /** By process and sample; CPU is counted since the start of the process. */
  readonly #cpu: ({ cpuMs: number; atMs: number } | null)[][];
  #timer: NodeJS.Timeout | null = null;
  #sampling: Promise<void> = Promise.resolve();
  #loggedAt = 0;
  #samples = 0;

  private constructor(options: WatchOptions) {
    this.#options = options;
    this.#intervalMs = Math.max(intervalMsMin, options.durationMs / pointsMax);
    this.#rssMb = options.processes.map(() => []);
    this.#heapMb = options.processes.map(() => []);
    this.#cpu = options.processes.map(() => []);
  }

  static async start(options: WatchOptions): Promise<Watch> {
    const watch = new Watch(options);
    await Promise.all(options.workers.map((worker) => worker.ask('sample')));
    await watch.#sampleProcesses();
    watch.#next();
    return watch;
  }

  end(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  async stop(): Promise<void> {
    this.end();
    await this.#sampling;
    // A rate over a shorter interval would be meaningless.
    const restMs = performance.now() - this.#startedAt - (this.series.s.at(-1) ?? 0) * 1000;
    if (restMs > this.#intervalMs / 2) await this.#sample();
  }

  get processes(): ProcessSeries[] {
    return this.#options.processes.map(({ name }, i) => {
      const cpu = this.#cpu[i]!;
      const running = cpu.filter((sample) => sample !== null);
      return processOf({
        name,
        rss_mb: this.#rssMb[i]!.slice(1),
        heap_mb: this.#heapMb[i]!.slice(1),
        cores: coresBetween(running[0], running.at(-1)) ?? 0,
        cores_series: cpu.slice(1).map((sample, at) => coresBetween(cpu[at], sample)),
      });
    });
  }

  #next(): void {
    const passedMs = performance.now() - this.#startedAt;
    // A timer that fires slightly early must not cause an empty interval.
    this.#samples = Math.max(this.#samples + 1, Math.ceil(passedMs / this.#intervalMs));
    const waitMs = this.#samples * this.#intervalMs - passedMs;
    this.#timer = setTimeout(() => {
      // The end of a worker is handled elsewhere.
      this.#sampling = this.#sample().catch(() => undefined);
      void this.#sampling.then(() => this.#timer !== null && this.#next());
    }, waitMs);
  }

  async #sample(): Promise<void> {
    const [samples] = await Promise.all([Promise.all(this.#options.workers.map((worker) => worker.ask<Sample>('sample'))), this.#sampleProcesses()]);
    const sum = (of: (sample: Sample) => number): number => samples.reduce((total, sample) => total + of(sample), 0);
    const s = Math.round((performance.now() - this.#startedAt) / 100) / 10;
    const { p50_ms: p50, p99_ms: p99, histogram: calls } = distributionOf(samples.map((sample) => sample.calls));
    const late = Math.max(...samples.map(({ lateP99Ms }) => lateP99Ms));
    const events = Math.max(...samples.map(({ eventsP99Ms }) => eventsP99Ms));
    const figures = { p50_ms: p50, p99_ms: p99, late_p99_ms: late, events_p99_ms: events, calls };
    const counts = { s, connected: sum(({ connected }) => connected), started: sum(({ started }) => started), errors: sum(({ errors }) => errors) };
    for (const [name, value] of Object.entries({ ...counts, ...figures })) (this.series[name as keyof Series] as unknown[]).push(value);
    if (performance.now() - this.#loggedAt < progressEveryMs) return;
    this.#loggedAt = performance.now();
    const seen = `${sum(({ eventsSeen }) => eventsSeen)} of ${sum(({ eventsSent }) => eventsSent)} events`;
    const perS = Math.round((counts.started * 1000) / this.#intervalMs);
    this.#options.log(
      `${counts.connected} robots, ${perS} calls/s, ${sum(({ inFlight }) => inFlight)} in flight, p50 ${p50} ms, p99 ${p99} ms, ${this.#errors()} errors, ${seen}, late p99 ${late} ms`,
    );
  }

  #errors(): number {
    return this.series.errors.reduce((sum, errors) => sum + errors, 0);
  }

  async #sampleProcesses(): Promise<void> {
    const samples = await Promise.all(this.#options.processes.map((process) => process.sample()));
    const now = performance.now();
    for (const [i, sample] of samples.entries()) {
      this.#rssMb[i]!.push(inMb(sample?.bytes));
      this.#heapMb[i]!.push(inMb(sample?.heapBytes));
      this.#cpu[i]!.push(sample === null ? null : { cpuMs: sample.cpuMs, atMs: now });
    }
  }
}

function inMb(bytes: number | null | undefined): number | null {
  return bytes === null || bytes === undefined ? null : Math.round(bytes / 100_000) / 10;
}

type CpuSample = { cpuMs: number; atMs: number } | null | undefined;

function coresBetween(from: CpuSample, to: CpuSample): number | null {
  if (from === null || from === undefined || to === null || to === undefined || to.atMs <= from.atMs) return null;
  return Math.round(((to.cpuMs - from.cpuMs) / (to.atMs - from.atMs)) * 1000) / 1000;
}
