/** Systems run in parallel; a system is bound to one Redis (single or Cluster). */
import type { RoundPlan } from './schedule.js';
import type { RedisShape } from './system/system.js';

export class RoundQueue {
  readonly #rounds: Iterator<number>;
  readonly #plan: (round: number) => RoundPlan;
  readonly #bagSize: number;
  /** Rounds of the next bag wait until all of these have begun. */
  readonly #pending: RoundPlan[] = [];

  constructor(rounds: Iterable<number>, plan: (round: number) => RoundPlan, bagSize: number) {
    this.#rounds = rounds[Symbol.iterator]();
    this.#plan = plan;
    this.#bagSize = bagSize;
  }

  /** Prefers the own Redis or, if others continue it, a round that no worker has a system for. @param own null: none yet @returns null: none left */
  next(own: RedisShape | null, others: readonly RedisShape[]): RoundPlan | null {
    if (this.#pending.length === 0) this.#fill();
    const nobodys = this.#pending.findIndex(({ redis }) => redis !== own && !others.includes(redis));
    const same = this.#pending.findIndex(({ redis }) => redis === own);
    const goesOn = same !== -1 && (nobodys === -1 || !others.includes(this.#pending[same]!.redis));
    return this.#pending.splice(Math.max(0, goesOn ? same : nobodys), 1)[0] ?? null;
  }

  #fill(): void {
    while (this.#pending.length < this.#bagSize) {
      const { value, done } = this.#rounds.next();
      if (done === true) return;
      this.#pending.push(this.#plan(value));
    }
  }
}
