/** Looks at workers and processes at regular intervals while the load runs: the progress line, and the series of the report. */
import type { Worker } from '@perch/bench';
import { distributionOf, processOf } from './report/assemble.js';
import type { ProcessSeries, Series } from './report/report.js';
import type { WatchedProcess } from './system/system.js';
import type { Sample } from './worker/plan.js';

export interface WatchOptions {
  workers: readonly Worker[];
  processes: readonly WatchedProcess[];
  durationMs: number;
  say: (line: string) => void;
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
  readonly #cpu: { fromMs: number; atMs: number; toMs: number; untilMs: number }[] = [];
  #timer: NodeJS.Timeout | null = null;
  #looking: Promise<void> = Promise.resolve();
  #saidAt = 0;
  #looks = 0;

  private constructor(options: WatchOptions) {
    this.#options = options;
    this.#intervalMs = Math.max(intervalMsMin, options.durationMs / pointsMax);
    this.#rssMb = options.processes.map(() => []);
  }

  /** Begins to look. What was counted before is dropped. */
  static async start(options: WatchOptions): Promise<Watch> {
    const watch = new Watch(options);
    await Promise.all(options.workers.map((worker) => worker.ask('sample')));
    await watch.#lookAtProcesses();
    watch.#next();
    return watch;
  }

  /** Ends without the last interval. */
  end(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  /** Takes the last interval and ends. */
  async stop(): Promise<void> {
    this.end();
    await this.#looking;
    // Of a shorter rest a rate would mean nothing.
    const restMs = performance.now() - this.#startedAt - (this.series.s.at(-1) ?? 0) * 1000;
    if (restMs > this.#intervalMs / 2) await this.#look();
  }

  get processes(): ProcessSeries[] {
    return this.#options.processes.map(({ name }, i) => {
      const { fromMs = 0, toMs = 0, atMs = 0, untilMs = 0 } = this.#cpu[i] ?? {};
      const cores = untilMs > atMs ? Math.round(((toMs - fromMs) / (untilMs - atMs)) * 1000) / 1000 : 0;
      // The first look was before the first interval.
      return processOf(name, this.#rssMb[i]!.slice(1), cores);
    });
  }

  #next(): void {
    const passedMs = performance.now() - this.#startedAt;
    // A timer that fires a moment early must not make an interval of nothing.
    this.#looks = Math.max(this.#looks + 1, Math.ceil(passedMs / this.#intervalMs));
    const waitMs = this.#looks * this.#intervalMs - passedMs;
    this.#timer = setTimeout(() => {
      // A worker that is gone ends the run elsewhere.
      this.#looking = this.#look().catch(() => undefined);
      void this.#looking.then(() => this.#timer !== null && this.#next());
    }, waitMs);
  }

  async #look(): Promise<void> {
    const [samples] = await Promise.all([Promise.all(this.#options.workers.map((worker) => worker.ask<Sample>('sample'))), this.#lookAtProcesses()]);
    const sum = (of: (sample: Sample) => number): number => samples.reduce((total, sample) => total + of(sample), 0);
    const s = Math.round((performance.now() - this.#startedAt) / 100) / 10;
    const { p50_ms: p50, p99_ms: p99, histogram: calls } = distributionOf(samples.map((sample) => sample.calls));
    const late = Math.max(...samples.map(({ lateP99Ms }) => lateP99Ms));
    const events = Math.max(...samples.map(({ eventsP99Ms }) => eventsP99Ms));
    const figures = { p50_ms: p50, p99_ms: p99, late_p99_ms: late, events_p99_ms: events, calls };
    const counts = { s, connected: sum(({ connected }) => connected), started: sum(({ started }) => started), errors: sum(({ errors }) => errors) };
    for (const [name, value] of Object.entries({ ...counts, ...figures })) (this.series[name as keyof Series] as unknown[]).push(value);
    if (performance.now() - this.#saidAt < progressEveryMs) return;
    this.#saidAt = performance.now();
    const seen = `${sum(({ eventsSeen }) => eventsSeen)} of ${sum(({ eventsSent }) => eventsSent)} events`;
    const perS = Math.round((counts.started * 1000) / this.#intervalMs);
    this.#options.say(
      `${counts.connected} robots, ${perS} calls/s, ${sum(({ inFlight }) => inFlight)} in flight, p50 ${p50} ms, p99 ${p99} ms, ${this.#errors()} errors, ${seen}, late p99 ${late} ms`,
    );
  }

  #errors(): number {
    return this.series.errors.reduce((sum, errors) => sum + errors, 0);
  }

  async #lookAtProcesses(): Promise<void> {
    const looks = await Promise.all(this.#options.processes.map((process) => process.look()));
    const now = performance.now();
    for (const [i, look] of looks.entries()) {
      this.#rssMb[i]!.push(look === null ? null : Math.round(look.bytes / 100_000) / 10);
      if (look === null) continue;
      const { fromMs = look.cpuMs, atMs = now } = this.#cpu[i] ?? {};
      this.#cpu[i] = { fromMs, atMs, toMs: look.cpuMs, untilMs: now };
    }
  }
}
