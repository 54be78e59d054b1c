/**
 * Decides how many robots a robot-link sends on so that all robot-links come to hold about as many. Pure: the clock and the loads are arguments.
 *
 * Aim: a few minutes after the last robot-link came or went, the greatest holds at most 1.25 times the least and 2. A robot-link sends robots on
 * while it holds more than the average and either more than 1.25 times the average, or more than 1.2 times the least and 1. The average alone does not
 * reach the aim: of two robot-links at 62 and 38 neither exceeds 1.25 times it, and of ten of which one is empty none ever does. 1.2 and 1 instead of
 * 1.25 and 2 leave room for the robots that come and go afterwards. Where moving a robot would only swap the two (a difference of 1), none is sent.
 */

export interface Load {
  instance: string;
  sessions: number;
  /** Robots accepted since it started. */
  accepted: number;
  accepting: boolean;
}

export interface BalancePace {
  /** Nothing is sent for so long after a robot-link came, went or began to leave, ms: load balancers notice late, and its robots are still dialling. */
  settleMs: number;
  /** The least rate, robots a second. */
  robotsPerS: number;
  /** The rate of a robot-link with many robots: this part, each second, of those it held when it began. Of those it still holds it would take ever longer. */
  partPerS: number;
  /** How often a robot-link that robots do not reach is tried again, ms. */
  retryMs: number;
  /** How long a robot must have been connected before it is sent on, ms. */
  stayMs: number;
  /** How long a robot that was sent on and came back must have been connected before it is sent on again, ms. */
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

/** Time that passed without a decision counts for so long at most, ms: a paused process must not send many robots on at once. */
const stepMsMax = 2000;
/** A robot-link that accepted none of so many robots sent on, or of 5 for each robot-link, is not reached by robots. */
const inVainMax = 20;

interface Reach {
  accepted: number;
  /** Robots sent on since it accepted one. */
  inVain: number;
  triedAt: number;
}

export class Balance {
  readonly #own: string;
  readonly #pace: BalancePace;
  #members = '';
  #changedAt = 0;
  #decidedAt: number | null = null;
  /** The most robots this robot-link has held since it last held no more than it should. */
  #heldMost = 0;
  /** Robots that may be sent now; below 1 none. */
  #budget = 0;
  readonly #reach = new Map<string, Reach>();

  constructor(own: string, pace: BalancePace = balancePace) {
    this.#own = own;
    this.#pace = pace;
  }

  /**
   * Returns how many robots are to be sent on now. `sent` must be told how many were.
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
      this.#heldMost = 0;
      return 0;
    }
    this.#heldMost = Math.max(this.#heldMost, own!.sessions);
    const perS = Math.max(this.#pace.robotsPerS, this.#pace.partPerS * this.#heldMost);
    this.#budget = Math.min(Math.max(1, perS), this.#budget + (perS * stepMs) / 1000);
    return Math.min(excess, Math.floor(this.#budget));
  }

  sent(count: number): void {
    this.#budget -= count;
    for (const reach of this.#reach.values()) reach.inVain += count;
  }

  /** Keeps track of who is there, and of who accepts robots. */
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
        this.#reach.set(instance, { accepted, inVain: 0, triedAt: now });
      }
    }
  }

  /**
   * The robot-links that robots reach. One may live although no load balancer leads to it (or none stands before robot-links at all): without this
   * rule the others would send all their robots round in a circle for ever. It is tried again with one robot now and then.
   */
  #reachable(loads: readonly Load[], now: number): readonly Load[] {
    const max = Math.max(inVainMax, 5 * loads.length);
    return loads.filter(({ instance }) => {
      const reach = this.#reach.get(instance);
      if (reach === undefined || reach.inVain < max) {
        if (reach !== undefined) reach.triedAt = now;
        return true;
      }
      if (now - reach.triedAt < this.#pace.retryMs) return false;
      reach.inVain = max - 1;
      return true;
    });
  }
}

/** How many robots above the average the robot-link is to send on in all; 0 where the loads are even enough. */
function excessOf({ instance, sessions }: Load, loads: readonly Load[]): number {
  const others = loads.filter((load) => load.instance !== instance);
  if (others.length === 0) return 0;
  const least = Math.min(...others.map((load) => load.sessions));
  const average = others.reduce((sum, load) => sum + load.sessions, sessions) / (others.length + 1);
  if (sessions <= average || sessions - least < 2) return 0;
  if (sessions <= 1.25 * average && sessions <= 1.2 * least + 1) return 0;
  return Math.ceil(sessions - average);
}
