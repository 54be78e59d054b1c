/** Runs robots' timers in slots of 10 ms: a timer each would wake the process for each report. Robots keep their slots, so reports stay spread. */
import type { Clock } from '@perch/virtual-robot';

interface Entry {
  slot: number;
  run: () => void;
}

const slotMs = 10;

export class WheelClock implements Clock {
  readonly #slots = new Map<number, Set<Entry>>();
  readonly #timer: NodeJS.Timeout;
  #done: number;

  constructor() {
    this.#done = slotOf(performance.now());
    this.#timer = setInterval(() => this.#turn(), slotMs);
  }

  now(): number {
    return performance.now();
  }

  /** Runs `run` at the first slot that begins after `ms`. */
  setTimeout(run: () => void, ms: number): Entry {
    const entry = { slot: slotOf(performance.now() + Math.max(0, ms)) + 1, run };
    const entries = this.#slots.get(entry.slot);
    if (entries === undefined) this.#slots.set(entry.slot, new Set([entry]));
    else entries.add(entry);
    return entry;
  }

  clearTimeout(timer: unknown): void {
    const entry = timer as Entry;
    this.#slots.get(entry.slot)?.delete(entry);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#slots.clear();
  }

  #turn(): void {
    const until = slotOf(performance.now());
    while (this.#done < until) {
      this.#done += 1;
      const entries = this.#slots.get(this.#done);
      if (entries === undefined) continue;
      // A timer of this slot may cancel another one of it.
      for (const entry of entries) {
        entries.delete(entry);
        entry.run();
      }
      this.#slots.delete(this.#done);
    }
  }
}

function slotOf(ms: number): number {
  return Math.floor(ms / slotMs);
}
