/** Which robots this robot-link sent on to even out the load, so that none that comes back is sent on again soon. */

import { balancePace, type BalancePace } from './balance.js';

/** A robot that comes back later than this was not brought back by a load balancer, ms. */
const rememberedMs = 120_000;

export class SentRobots {
  /** When each was sent on, oldest first. */
  readonly #sentAt = new Map<string, number>();
  readonly #pace: Pick<BalancePace, 'stayMs' | 'returnedStayMs'>;

  constructor(pace: Pick<BalancePace, 'stayMs' | 'returnedStayMs'> = balancePace) {
    this.#pace = pace;
  }

  /** @param now a monotonic clock, ms, as below */
  note(robot: string, now: number): void {
    this.#sentAt.delete(robot);
    this.#sentAt.set(robot, now);
    for (const [other, at] of this.#sentAt) {
      if (now - at < rememberedMs) return;
      this.#sentAt.delete(other);
    }
  }

  /** Whether a robot has been here for long enough to be sent on. @param stayedMs since it connected */
  mayGo(robot: string, stayedMs: number, now: number): boolean {
    if (stayedMs < this.#pace.stayMs) return false;
    const sentAt = this.#sentAt.get(robot);
    return sentAt === undefined || stayedMs >= this.#pace.returnedStayMs || now - sentAt >= rememberedMs;
  }
}
