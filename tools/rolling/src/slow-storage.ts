/**
 * Measures how late Redis answers because this machine does not run it, or its disk is slow. A delay in which Redis itself worked is not counted: a
 * version under test may have caused it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Track } from '@perch/chaos';

/** Processor time of Redis until now, ms. Rejected: no answer in time. */
export type ReadWork = () => Promise<number>;

const everyMs = 50;
/** Half of the time after which a service gives a command up. */
const slowMs = 500;
/** More than any phase lasts. */
const keptMax = 20_000;

export class SlowStorage {
  /** Impaired while an answer took `slowMs` or longer. */
  readonly served = new Track(performance.now());
  readonly #delays: { from: number; to: number }[] = [];
  readonly #ended: Promise<void>;
  #stopped = false;

  constructor(readWork: ReadWork) {
    this.#ended = this.#watch(readWork);
  }

  /** The time in which an answer of Redis was awaited, ms. */
  total(from: number, to: number): number {
    return this.#delays.reduce((all, delay) => all + Math.max(0, Math.min(delay.to, to) - Math.max(delay.from, from)), 0);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#ended;
  }

  async #watch(readWork: ReadWork): Promise<void> {
    let worked: number | null = null;
    let from = performance.now();
    while (!this.#stopped) {
      const now = await readWork().catch(() => null);
      // Without an answer, the delay goes on.
      if (now !== null) {
        if (worked !== null) this.#note(from, performance.now(), now - worked);
        worked = now;
      }
      await sleep(everyMs);
      if (now !== null) from = performance.now();
    }
  }

  #note(from: number, to: number, workedMs: number): void {
    const ms = to - from;
    if (ms < everyMs || workedMs > ms / 2) return;
    this.#delays.push({ from, to });
    if (this.#delays.length > keptMax) this.#delays.shift();
    if (ms < slowMs) return;
    this.served.impair(from);
    this.served.recover(to);
  }
}

/** @param info of `INFO cpu` */
export function workIn(info: string): number {
  const seconds = (name: string): number => Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(info)?.[1] ?? NaN);
  const main = seconds('used_cpu_user_main_thread') + seconds('used_cpu_sys_main_thread');
  return 1000 * (Number.isNaN(main) ? seconds('used_cpu_user') + seconds('used_cpu_sys') : main);
}
