import { beatLateMs, type LinkLoad } from '@perch/store';
import { Balance, balancePace, type BalancePace, MoveLog } from './balance.js';
import type { ConnectionContext } from '../connection/session-registry.js';
import type { Session } from '../session/session.js';

/** At most a fifth of a second's robots leave at once. */
const stepMs = 200;

export interface LinkBalancerOptions {
  context: Pick<ConnectionContext, 'store' | 'registry' | 'log'>;
  /** Whether this robot-link moves robots. Its load is shared with the others in any case. */
  enabled: boolean;
  pace?: BalancePace;
}

export class LinkBalancer {
  readonly #context: LinkBalancerOptions['context'];
  readonly #enabled: boolean;
  readonly #balance: Balance;
  readonly #moved: MoveLog;
  #accepting = true;
  #loads: readonly LinkLoad[] = [];
  /** performance.now() of the last exchange of loads; decisions require a recent one. */
  #loadsReceivedAt = -Infinity;
  #timer: NodeJS.Timeout | null = null;

  constructor({ context, enabled, pace = balancePace }: LinkBalancerOptions) {
    this.#context = context;
    this.#enabled = enabled;
    this.#balance = new Balance(context.store.instance, pace);
    this.#moved = new MoveLog(pace);
  }

  start(): void {
    const { store, registry } = this.#context;
    store.linkLoads.share(
      () => ({ sessions: registry.sessionCount, accepted: registry.acceptedCount, accepting: this.#accepting }),
      (loads) => {
        this.#loads = loads;
        this.#loadsReceivedAt = performance.now();
      },
    );
    if (this.#enabled) this.#timer = setInterval(() => this.#step(), stepMs);
  }

  /** Other robot-links read it with their next heartbeat, and move no robots until this one has exited. */
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
    const { store, registry } = this.#context;
    const now = performance.now();
    if (now - this.#loadsReceivedAt > beatLateMs) return;
    const loads = this.#loads.map((load) => (load.instance === store.instance ? { ...load, sessions: registry.sessionCount } : load));
    const count = this.#balance.decide(loads, now);
    if (count === 0) return;
    const leaving = registry.pick(count, (session) => session.isIdle && this.#moved.canMove(session.robot, session.ageMs, now));
    this.#balance.recordMoved(leaving.length);
    for (const session of leaving) {
      this.#moved.record(session.robot, now);
      session.metrics.sessionsMoved.inc();
      void this.#move(session);
    }
  }

  async #move(session: Session): Promise<void> {
    const { log } = this.#context;
    log.debug({ robot: session.robot, session: session.id }, 'robot moved to another robot-link to balance the load');
    await session.handOver('balancing');
  }
}
