/**
 * Decides how many robots a robot-link moves to others, so that all robot-links hold about the same number. Pure: the clock and the loads are
 * arguments.
 *
 * Goal: a few minutes after a robot-link was added or removed, the largest load is at most 1.25 times the smallest plus 2. A robot-link moves robots
 * while it holds more than the average and either more than 1.25 times the average, or more than 1.2 times the smallest load plus 1. The average
 * alone does not reach the goal: of two robot-links with 62 and 38 robots neither exceeds 1.25 times the average, and of ten of which one is empty
 * none ever does. 1.2 and 1 instead of 1.25 and 2 leave a margin for robots that connect and disconnect afterwards. If moving a robot would only swap
 * two loads (a difference of 1), none is moved.
 */

export interface Load {
  instance: string;
  sessions: number;
  /** Robots accepted since the start. */
  accepted: number;
  accepting: boolean;
}

export interface BalancePace {
  /**
   * Time without moves after a robot-link was added, removed or began to leave, ms: load balancers notice late, and robots are still reconnecting.
   */
  settleMs: number;
  robotsPerS: number;
  /**
   * Rate of a robot-link with many robots, as a share per second of those it held when it began. A share of those it still holds would take ever
   * longer.
   */
  partPerS: number;
  /** Interval at which a robot-link that no robot reaches is tried again, ms. */
  retryMs: number;
  /** Time a robot must have been connected before it is moved, ms. */
  stayMs: number;
  /** Time a robot that was moved and came back must have been connected before it is moved again, ms. */
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

/** Maximum time between two decisions that counts towards the budget, ms: a paused process must not move many robots at once. */
const stepMsMax = 2000;
/** A robot-link that accepted none of this many moved robots, or of 5 per robot-link, counts as unreachable for robots. */
const unacceptedMax = 20;

interface Reach {
  accepted: number;
  /** Robots moved since the robot-link last accepted one. */
  unaccepted: number;
  triedAt: number;
}

export class Balance {
  readonly #own: string;
  readonly #pace: BalancePace;
  #members = '';
  #changedAt = 0;
  #decidedAt: number | null = null;
  /** Most robots held since this robot-link was last balanced. */
  #peakSessions = 0;
  /** Robots that may be moved now; none if it is below 1. */
  #budget = 0;
  readonly #reach = new Map<string, Reach>();

  constructor(own: string, pace: BalancePace = balancePace) {
    this.#own = own;
    this.#pace = pace;
  }

  /**
   * Returns how many robots to move now. The caller reports the actual number to `recordMoved`.
   * @param loads of all living robot-links, this one included
   * @param now a monotonic clock, ms
   */
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

  /**
   * Returns the robot-links that robots can reach. One may be alive although no load balancer routes to it (or there is no load balancer at all):
   * without this rule the others would move all their robots around for ever. Such a robot-link is tried again with one robot at intervals.
   */
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

/** Returns how many robots the robot-link holds above the average; 0 if the loads are balanced well enough. */
function excessOf({ instance, sessions }: Load, loads: readonly Load[]): number {
  const others = loads.filter((load) => load.instance !== instance);
  if (others.length === 0) return 0;
  const least = Math.min(...others.map((load) => load.sessions));
  const average = others.reduce((sum, load) => sum + load.sessions, sessions) / (others.length + 1);
  if (sessions <= average || sessions - least < 2) return 0;
  if (sessions <= 1.25 * average && sessions <= 1.2 * least + 1) return 0;
  return Math.ceil(sessions - average);
}
