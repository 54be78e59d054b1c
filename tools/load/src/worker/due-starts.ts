/** Starts what is due by schedules drawn in advance, and reports how late each start was. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Histogram } from '../histogram.js';
import type { Arrivals } from '../schedule.js';
import { sharedNow } from './shared-clock.js';

/** How late calls or taps were started, over the whole run and since the last sample. */
export class Lateness {
  readonly all = new Histogram();
  readonly #recent = new Histogram();

  record(ms: number): void {
    this.all.record(ms);
    this.#recent.record(ms);
  }

  takeRecent(): string {
    const text = this.#recent.text();
    this.#recent.clear();
    return text;
  }
}

/** Resolves after `durationMs`, when everything due until then was started. */
export async function runDue(durationMs: number, arrivals: Arrivals, start: (dueAt: number) => void, lateness: Lateness): Promise<void> {
  const startedAt = sharedNow();
  while (arrivals.dueMs < durationMs) {
    const lateMs = sharedNow() - startedAt - arrivals.dueMs;
    if (lateMs < 0) {
      await sleep(Math.max(1, -lateMs));
      continue;
    }
    lateness.record(lateMs);
    start(startedAt + arrivals.dueMs);
    arrivals.next();
  }
  await sleep(Math.max(0, startedAt + durationMs - sharedNow()));
}
