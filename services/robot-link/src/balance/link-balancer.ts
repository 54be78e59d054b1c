/** Sends robots on to other robot-links while this one holds too many of all; `balance.ts` decides how many, this file which. */
import { beatLateMs, type LinkLoad } from '@perch/store';
import { Balance, balancePace, type BalancePace } from './balance.js';
import type { LinkContext } from '../session/context.js';
import { SentRobots } from './sent-robots.js';
import type { Session } from '../session/session.js';

/** How often it is decided, ms: at most a fifth of a second's robots leave at once. */
const stepMs = 200;

export interface LinkBalancerOptions {
  context: Pick<LinkContext, 'store' | 'roster' | 'metrics' | 'log'>;
  /** Whether this robot-link sends robots on. Its load is told in any case. */
  enabled: boolean;
  pace?: BalancePace;
}

export class LinkBalancer {
  readonly #context: LinkBalancerOptions['context'];
  readonly #enabled: boolean;
  readonly #balance: Balance;
  readonly #sent: SentRobots;
  #accepting = true;
  #loads: readonly LinkLoad[] = [];
  /** performance.now() of the last exchange; older loads decide nothing. */
  #learnedAt = -Infinity;
  #timer: NodeJS.Timeout | null = null;

  constructor({ context, enabled, pace = balancePace }: LinkBalancerOptions) {
    this.#context = context;
    this.#enabled = enabled;
    this.#balance = new Balance(context.store.instance, pace);
    this.#sent = new SentRobots(pace);
  }

  start(): void {
    const { store, roster } = this.#context;
    store.linkLoads.share(
      () => ({ sessions: roster.sessionCount, accepted: roster.acceptedCount, accepting: this.#accepting }),
      (loads) => {
        this.#loads = loads;
        this.#learnedAt = performance.now();
      },
    );
    if (this.#enabled) this.#timer = setInterval(() => this.#step(), stepMs);
  }

  /** The stop of this robot-link follows: the others learn it with the next heartbeat, and nobody sends robots on until it is gone. */
  leave(): void {
    this.#accepting = false;
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
  }

  async stop(): Promise<void> {
    this.leave();
    await this.#context.store.linkLoads.withdraw();
  }

  #step(): void {
    const { store, roster, metrics } = this.#context;
    const now = performance.now();
    if (now - this.#learnedAt > beatLateMs) return;
    const loads = this.#loads.map((load) => (load.instance === store.instance ? { ...load, sessions: roster.sessionCount } : load));
    const count = this.#balance.decide(loads, now);
    if (count === 0) return;
    const leaving = roster.pick(count, (session) => session.isIdle && this.#sent.mayGo(session.robot, session.ageMs, now));
    this.#balance.sent(leaving.length);
    for (const session of leaving) {
      this.#sent.note(session.robot, now);
      metrics.sessionsMoved.inc();
      void this.#move(session);
    }
  }

  async #move(session: Session): Promise<void> {
    const { log } = this.#context;
    log.debug({ robot: session.robot, session: session.id }, 'robot sent to another robot-link to even out the load');
    await session.handOver('evening out');
  }
}
