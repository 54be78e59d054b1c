/**
 * Decides how many robots a robot-link moves to others. Pure: the clock and the loads are arguments. Goal: a few minutes after a robot-link was added
 * or removed, the largest load is at most 1.25 times the smallest plus 2. A robot-link moves robots while it holds more than the average and either
 * more than 1.25 times the average (of ten robot-links of which one is empty, none does), or more than 1.2 times the smallest load plus 1, a margin
 * for robots that come and go. None is moved if that would only swap two loads (a difference of 1).
 */

export interface Load {
  instance: string;
  sessions: number;
  accepted: number;
  accepting: boolean;
}

export interface BalancePace {
  /** Time without moves after a robot-link was added or removed, ms: load balancers notice late, and robots are still reconnecting. */
  settleMs: number;
  robotsPerS: number;
  /** Share per second of the robots held when the moves began. A share of those still held would take ever longer. */
  partPerS: number;
  /** Interval at which a robot-link that no robot reaches is tried again, ms. */
  retryMs: number;
  stayMs: number;
  /** As `stayMs`, for a robot that was moved and came back. */
  returnedStayMs: number;
}

export const balancePace: BalancePace = {
  settleMs: 10_000,
  robotsPerS: 0.2,
  partPerS: 0.01,
  retryMs: 60_000,
  stayMs: 10_000,
  returnedStayMs: 60_000,
};

/** Counted time between two decisions: a paused process must not move many robots at once. */
const stepMsMax = 2000;
/** A robot-link that accepted none of this many moved robots, or of 5 per robot-link, counts as unreachable for robots. */
const unacceptedMax = 20;

interface Reach {
  accepted: number;
  unaccepted: number;
  triedAt: number;
}

export class Balance {
  readonly #own: string;
  readonly #pace: BalancePace;
  #members = '';
  #changedAt = 0;
  #decidedAt: number | null = null;
  #peakSessions = 0;
  #budget = 0;
  readonly #reach = new Map<string, Reach>();

  constructor(own: string, pace: BalancePace = balancePace) {
    this.#own = own;
    this.#pace = pace;
  }

  /** The caller reports the actual number to `recordMoved`. @param loads of all living robot-links @param now a monotonic clock, ms */
  decide(loads: readonly Load[], now: number): number {
    const stepMs = Math.min(stepMsMax, now - (this.#decidedAt ?? now));
    this.#decidedAt = now;
    this.#note(loads, now);
    const own = loads.find(({ instance }) => instance === this.#own);
    const isSettled = now - this.#changedAt >= this.#pace.settleMs && loads.every(({ accepting }) => accepting);
    const excess = own === undefined || !isSettled ? 0 : excessOf(own, this.#reachable(loads, now));
    if (excess === 0) {
      this.#budget = 0;
      this.#peakSessions = 0;
      return 0;
    }
    this.#peakSessions = Math.max(this.#peakSessions, own!.sessions);
    const perS = Math.max(this.#pace.robotsPerS, this.#pace.partPerS * this.#peakSessions);
    this.#budget = Math.min(Math.max(1, perS), this.#budget + (perS * stepMs) / 1000);
    return Math.min(excess, Math.floor(this.#budget));
  }

  recordMoved(count: number): void {
    this.#budget -= count;
    for (const reach of this.#reach.values()) reach.unaccepted += count;
  }

  #note(loads: readonly Load[], now: number): void {
    const members = loads
      .map(({ instance, accepting }) => `${instance} ${accepting}`)
      .toSorted()
      .join();
    if (members !== this.#members) {
      this.#members = members;
      this.#changedAt = now;
      const living = new Set(loads.map(({ instance }) => instance));
      for (const instance of this.#reach.keys()) if (!living.has(instance)) this.#reach.delete(instance);
    }
    for (const { instance, accepted } of loads) {
      const reach = this.#reach.get(instance);
      if (instance !== this.#own && (reach === undefined || reach.accepted !== accepted)) {
        this.#reach.set(instance, { accepted, unaccepted: 0, triedAt: now });
      }
    }
  }

  /** Leaves out robot-links that no load balancer routes to, or all robots would be moved around for ever. Tries one again at intervals. */
  #reachable(loads: readonly Load[], now: number): readonly Load[] {
    const max = Math.max(unacceptedMax, 5 * loads.length);
    return loads.filter(({ instance }) => {
      const reach = this.#reach.get(instance);
      if (reach === undefined || reach.unaccepted < max) {
        if (reach !== undefined) reach.triedAt = now;
        return true;
      }
      if (now - reach.triedAt < this.#pace.retryMs) return false;
      reach.unaccepted = max - 1;
      return true;
    });
  }
}

function excessOf({ instance, sessions }: Load, loads: readonly Load[]): number {
  const others = loads.filter((load) => load.instance !== instance);
  if (others.length === 0) return 0;
  const least = Math.min(...others.map((load) => load.sessions));
  const average = others.reduce((sum, load) => sum + load.sessions, sessions) / (others.length + 1);
  if (sessions <= average || sessions - least < 2) return 0;
  if (sessions <= 1.25 * average && sessions <= 1.2 * least + 1) return 0;
  return Math.ceil(sessions - average);
}

/** A robot that comes back later was not routed here because of the move. */
const rememberedMs = 120_000;

export class MoveLog {
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
