import { balancePace, type BalancePace } from './balance.js';

/** A robot that comes back later was not routed here because of the move. */
const rememberedMs = 120_000;

export class MovedRobots {
  readonly #movedAt = new Map<string, number>();
  readonly #pace: Pick<BalancePace, 'stayMs' | 'returnedStayMs'>;

  constructor(pace: Pick<BalancePace, 'stayMs' | 'returnedStayMs'> = balancePace) {
    this.#pace = pace;
  }

  record(robot: string, now: number): void {
    this.#movedAt.delete(robot);
    this.#movedAt.set(robot, now);
    for (const [other, at] of this.#movedAt) {
      if (now - at < rememberedMs) return;
      this.#movedAt.delete(other);
    }
  }

  canMove(robot: string, stayedMs: number, now: number): boolean {
    if (stayedMs < this.#pace.stayMs) return false;
    const movedAt = this.#movedAt.get(robot);
    return movedAt === undefined || stayedMs >= this.#pace.returnedStayMs || now - movedAt >= rememberedMs;
  }
}
