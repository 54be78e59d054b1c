import { ApiError, type ToLink } from '@perch/schema';
import { armWithinMs, type WrittenMessage } from '@perch/store';
import { robotFailure } from '../calls/failures.js';
import type { Reply } from '../robots/replies.js';
import type { CachedRobot } from '../robots/robot-directory.js';
import { renderOptionsOf, settleGraceMs, type OpenWait, type WaitServices } from './wait.js';
import type { WaitSettler } from './wait-settler.js';

const silenceMs = 1_000;

/** A message that is published as its wait opens. */
export interface FirstDelivery {
  readonly message: WrittenMessage;
  readonly answered: Promise<Reply>;
  /** Set once it is published. */
  receivers: number | null;
}

export class WaitDelivery {
  readonly #services: WaitServices;
  readonly #settler: Pick<WaitSettler, 'settle'>;

  constructor(services: WaitServices, settler: Pick<WaitSettler, 'settle'>) {
    this.#services = services;
    this.#settler = settler;
  }

  /** Expects the reply to the first message from now on; the caller publishes it as it opens the wait. Null on a Cluster, where no script can. */
  first(wait: OpenWait, robot: CachedRobot, arrivedAt: number): FirstDelivery | null {
    if (!this.#services.store.waits.canOpenWithMessage) return null;
    const { message, answered } = this.#expect(wait, robot, arrivedAt);
    return { message: this.#services.store.linkMailbox.written(robot.lease.instance, message), answered, receivers: null };
  }

  /**
   * Resends every second until armed; the robot-link identifies a wait by its number, and one that takes over reads it from Redis. Never rejects.
   * @param arrivedAt arrival of the call; undefined for a wait that another gateway opened
   * @param first published already; null: the wait opened without a message
   */
  async deliver(wait: OpenWait, holder: CachedRobot, arrivedAt: number | undefined, first: FirstDelivery | null = null): Promise<void> {
    const { call, plan, record, signal } = wait;
    let robot = holder;
    let answered = first?.answered ?? null;
    if (first?.receivers === 0) {
      this.#services.store.linkMailbox.missed(holder.lease.instance);
      this.#notHere(record.call);
    }
    let redrawn = false;
    let missedAt: number | null = null;
    try {
      while (!wait.over) {
        const reply = await (answered ?? this.#exchange(wait, robot, arrivedAt));
        answered = null;
        if (reply.t === 'nack') throw robotFailure(reply.code, reply.error);
        if (reply.t === 'media_missing') {
          if (redrawn || plan.picture === null)
            throw new ApiError('render_failed', 'The picture was lost before it could be sent, twice. Try again.');
          redrawn = true;
          await plan.picture(robot, renderOptionsOf(plan, signal, call));
        } else if (reply.t === 'not_here') {
          missedAt ??= performance.now();
          robot = await this.#services.directory.heldAfter(robot, missedAt);
        } else return;
      }
    } catch (error) {
      if (signal.aborted) return;
      // Lost messages and an unreachable Redis leave the wait to its own deadline; a definite failure ends it now.
      if (!(error instanceof ApiError)) return;
      await this.#settler.settle(robot.id, record.number, { outcome: 'failed', code: error.code, error: error.message }).catch(() => {});
    }
  }

  async #exchange(wait: OpenWait, robot: CachedRobot, arrivedAt: number | undefined): Promise<Reply> {
    const { answered, send } = this.#expect(wait, robot, arrivedAt);
    if ((await send()) === 0) this.#notHere(wait.record.call);
    return answered;
  }

  #expect(
    wait: OpenWait,
    robot: CachedRobot,
    arrivedAt: number | undefined,
  ): { message: ToLink; answered: Promise<Reply>; send: () => Promise<number | null> } {
    const { record } = wait;
    const { instance, session } = robot.lease;
    const message: Extract<ToLink, { t: 'wait' }> = { t: 'wait', robot: robot.id, session, record };
    if (arrivedAt !== undefined) message.arrivedAt = arrivedAt;
    const send = (): Promise<number | null> => this.#services.store.linkMailbox.send(instance, message);
    const answered = this.#services.replies.expect(record.call, record.timeoutMs + armWithinMs + settleGraceMs, {
      everyMs: silenceMs,
      check: () => {
        if (wait.armedAt === null) void this.#resend(robot, record.call, send);
      },
    });
    return { message, answered, send };
  }

  #notHere(call: string): void {
    this.#services.replies.settle(call, { t: 'not_here', id: call });
  }

  /** Resends the message, which may have been lost in transit or with its receiver; in the latter case the robot is connected elsewhere. */
  async #resend(robot: CachedRobot, call: string, send: () => Promise<unknown>): Promise<void> {
    try {
      const current = await this.#services.directory.read(robot.id);
      if (current?.lease.state === 'held' && current.lease.session !== robot.lease.session) this.#notHere(call);
      else await send();
    } catch {
      // Redis is unreachable; the next attempt follows in a second.
    }
  }
}
