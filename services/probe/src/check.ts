/** One kind of check: it runs, ends within a time limit, is counted, and logged when its outcome changes. */
import { setImmediate as nextIteration } from 'node:timers/promises';
import type { LabelsOf, Logger } from '@perch/runtime';
import { abortable } from './abortable.js';
import type { ProbeMetrics } from './metrics.js';
import type { Stalls } from './stalls.js';

export type CheckName = LabelsOf<'perch_probe_checks_total'>['check'];

export interface CheckOptions {
  name: CheckName;
  /** Rejects if the check failed; the reason is logged. */
  run: (signal: AbortSignal) => Promise<unknown>;
  timeoutMs: number;
  /** A stall of this process up to this long before a check can be why the check fails: meanwhile the robot's connection has ended. */
  afterStallMs: number;
  stalls: Pick<Stalls, 'after'>;
  metrics: Pick<ProbeMetrics, 'ended' | 'skipped'>;
  log: Pick<Logger, 'info' | 'warn'>;
}

export class Check {
  readonly #options: CheckOptions;
  /** Of the run in flight. */
  #limit: AbortController | null = null;
  #stopped = false;
  /** `ok`, or the code of the failure; null before the first outcome. */
  #last: string | null = null;

  constructor(options: CheckOptions) {
    this.#options = options;
  }

  /** Never rejects. Does nothing while the last run has not ended. */
  async run(): Promise<void> {
    if (this.#limit !== null || this.#stopped) return;
    const beganAt = performance.now();
    try {
      await this.#within();
      this.#succeeded(performance.now() - beganAt);
    } catch (error) {
      if (!this.#stopped) this.#failed(error, beganAt);
    }
  }

  /** Cancels the run in flight, which is not counted. */
  stop(): void {
    this.#stopped = true;
    this.#limit?.abort(new CheckFailed('stopped', 'the probe stops'));
  }

  /** Ends at the time limit also if the check does not. */
  async #within(): Promise<void> {
    const { run, timeoutMs } = this.#options;
    const limit = (this.#limit = new AbortController());
    const timer = setTimeout(() => limit.abort(new CheckFailed('timed_out', `not done within ${timeoutMs} ms`)), timeoutMs);
    const work = run(limit.signal);
    try {
      await abortable(work, limit.signal);
    } catch (error) {
      throw limit.signal.aborted ? await causeOf(work, error) : error;
    } finally {
      clearTimeout(timer);
      this.#limit = null;
    }
  }

  #succeeded(tookMs: number): void {
    const { name, metrics, log } = this.#options;
    metrics.ended(name, 'ok', tookMs);
    if (this.#last !== 'ok') log.info({ check: name, ms: Math.round(tookMs) }, 'a check succeeded');
    this.#last = 'ok';
  }

  #failed(error: unknown, beganAt: number): void {
    const { name, metrics, log, stalls, afterStallMs } = this.#options;
    if (stalls.after(beganAt - afterStallMs)) return metrics.skipped(name);
    metrics.ended(name, 'failed', performance.now() - beganAt);
    const code = codeOf(error);
    if (this.#last !== code) log.warn({ check: name, code, reason: error instanceof Error ? error.message : String(error) }, 'a check failed');
    this.#last = code;
  }
}

export class CheckFailed extends Error {
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Returns the failure by which an aborted check says what it was waiting for; without one, by the next iteration of the event loop, `aborted`. */
async function causeOf(work: Promise<unknown>, aborted: unknown): Promise<unknown> {
  const own = work.then(
    () => aborted,
    (error: unknown) => (error instanceof CheckFailed ? error : aborted),
  );
  return Promise.race([own, nextIteration(aborted)]);
}

function codeOf(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code : 'error';
}
