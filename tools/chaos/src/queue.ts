/** Which round is run next, and on which system: systems are run side by side, and another Redis is another system. */
import type { RoundPlan } from './schedule.js';
import type { RedisShape } from './system/system.js';

export class RoundQueue {
  readonly #rounds: Iterator<number>;
  readonly #plan: (round: number) => RoundPlan;
  readonly #bagSize: number;
  /** The rest of a bag: what comes in the one after it waits until all of it has begun. */
  readonly #pending: RoundPlan[] = [];

  /** @param bagSize how many rounds are one bag */
  constructor(rounds: Iterable<number>, plan: (round: number) => RoundPlan, bagSize: number) {
    this.#rounds = rounds[Symbol.iterator]();
    this.#plan = plan;
    this.#bagSize = bagSize;
  }

  /**
   * The next round for who has a system of this Redis, or none yet: as far as can be one for the same Redis, but one that nobody has a system
   * for where others go on with his.
   * @param others what the others have systems of @returns null where there are no more
   */
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
