import { setTimeout as sleep } from 'node:timers/promises';

const everyMs = 200;
/** A longer time between two polls is a stall of this process, or of what it polls. */
const countedMs = 1000;

/** Time for repeated polls, of which a stall uses up a second at most. */
export class PollBudget {
  #leftMs: number;
  #last = performance.now();

  constructor(withinMs: number) {
    this.#leftMs = withinMs;
  }

  get isUsedUp(): boolean {
    return this.#leftMs <= 0;
  }

  async pause(): Promise<void> {
    await sleep(everyMs);
    const now = performance.now();
    this.#leftMs -= Math.min(now - this.#last, countedMs);
    this.#last = now;
  }
}
