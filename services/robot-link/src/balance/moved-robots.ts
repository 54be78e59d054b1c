/** Robots that this robot-link moved to balance the load, so that one that comes back is not moved again soon. */

import { balancePace, type BalancePace } from './balance.js';

/** Time after which a robot that comes back was not routed here because of the move, ms. */
const rememberedMs = 120_000;

export class MovedRobots {
  /** Time of the move by robot, oldest first. */
  readonly #movedAt = new Map<string, number>();
  readonly #pace: Pick<BalancePace, 'stayMs' | 'returnedStayMs'>;

  constructor(pace: Pick<BalancePace, 'stayMs' | 'returnedStayMs'> = balancePace) {
    this.#pace = pace;
  }

  /** @param now a monotonic clock, ms, also in `canMove` */
  record(robot: string, now: number): void {
    this.#movedAt.delete(robot);
    this.#movedAt.set(robot, now);
    for (const [other, at] of this.#movedAt) {
      if (now - at < rememberedMs) return;
      this.#movedAt.delete(other);
    }
  }

  /** Returns whether a robot has been connected long enough to be moved. @param stayedMs since it connected */
  canMove(robot: string, stayedMs: number, now: number): boolean {
    if (stayedMs < this.#pace.stayMs) return false;
    const movedAt = this.#movedAt.get(robot);
    return movedAt === undefined || stayedMs >= this.#pace.returnedStayMs || now - movedAt >= rememberedMs;
  }
}
