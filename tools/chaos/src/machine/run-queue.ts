/** Time in which an instance had work to do and no processor ran it, from the kernel's schedstat. */
import { readFileSync } from 'node:fs';
import { readingsAround } from './readings.js';

const everyMs = 100;

interface Reading {
  readonly at: number;
  /** Time waited since the first reading, ms. */
  readonly waited: number;
}

interface Observed {
  pid: number;
  /** Time that the process `pid` has waited since its start, ms. */
  last: number;
  readonly readings: Reading[];
}

export class RunQueue {
  readonly #instances: () => Iterable<{ place: string; pid: number }>;
  readonly #read: (pid: number) => number | null;
  readonly #observed = new Map<string, Observed>();
  readonly #timer: NodeJS.Timeout;

  /** @param instances with their current processes; 0: none @param read ms that the main thread of a process has waited; null if it has ended */
  constructor(instances: () => Iterable<{ place: string; pid: number }>, read: (pid: number) => number | null = readWaited) {
    this.#instances = instances;
    this.#read = read;
    this.#note();
    this.#timer = setInterval(() => this.#note(), everyMs);
    this.#timer.unref();
  }

  /** At most the whole time. Includes what passed until the readings before and after. */
  waitedMs(place: string, from: number, to: number): number {
    const around = readingsAround(this.#observed.get(place)?.readings ?? [], from, to);
    return around === null ? 0 : Math.min(around.after.waited - around.before.waited, to - from);
  }

  /** Reads for the last time. */
  stop(): void {
    clearInterval(this.#timer);
    this.#note();
  }

  #note(): void {
    const at = performance.now();
    for (const { place, pid } of this.#instances()) {
      const now = pid === 0 ? null : this.#read(pid);
      if (now === null) continue;
      const known = this.#observed.get(place);
      if (known === undefined) {
        this.#observed.set(place, { pid, last: now, readings: [{ at, waited: 0 }] });
        continue;
      }
      const waited = known.readings.at(-1)!.waited + (known.pid === pid ? now - known.last : 0);
      known.readings.push({ at, waited });
      known.pid = pid;
      known.last = now;
    }
  }
}

function readWaited(pid: number): number | null {
  try {
    return waitedIn(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8'));
  } catch {
    return null;
  }
}

/** @param text of schedstat: time on a processor, time waiting for one (both ns), number of time slices */
export function waitedIn(text: string): number {
  return Number(text.split(' ')[1]) / 1e6;
}
