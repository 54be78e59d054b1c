/** Delivers a wait to the robot-link that holds the robot, retrying until it is accepted. A definite failure ends the wait. */
import { ApiError, type Feature, type PictureRef, type Target, type ToLink, type WaitKind, type WaitOutcome, type WaitRecord } from '@perch/schema';
import type { Span } from '@perch/runtime';
import { armWithinMs, type Store } from '@perch/store';
import type { RenderOptions } from '../media/media-maker.js';
import type { Replies, Reply } from '../robots/replies.js';
import type { KnownRobot, RobotDirectory } from '../robots/robot-directory.js';

export interface WaitPlan {
  kind: WaitKind;
  needs: readonly Feature[];
  targets: Target[];
  timeoutMs: number;
  /** Draws what the wait shows; called again if the picture expired before it was sent. Null: the wait shows nothing. */
  picture: ((robot: KnownRobot, options: RenderOptions) => Promise<PictureRef>) | null;
}

export interface Progress {
  armed: boolean;
  /** The wait is no longer delivered. */
  over: boolean;
}

/** Interval at which a wait that is not armed is redelivered, ms. */
const silenceMs = 1_000;
/** Time after the end of the wait in which a reply may still arrive, ms. */
const graceMs = 250;

export interface DeliveryRequest {
  robot: KnownRobot;
  record: WaitRecord;
  plan: WaitPlan;
  progress: Progress;
  signal: AbortSignal;
  span: Span | null;
  /** Arrival of the call as in the message; undefined for a wait that another gateway opened. */
  arrivedAt?: number | undefined;
}

export class WaitDelivery {
  readonly #store: Pick<Store, 'linkMailbox'>;
  readonly #directory: RobotDirectory;
  readonly #replies: Replies;
  readonly #fail: (robot: string, record: WaitRecord, failed: WaitOutcome) => Promise<unknown>;

  /** @param fail ends a wait that cannot be delivered */
  constructor(
    store: Pick<Store, 'linkMailbox'>,
    directory: RobotDirectory,
    replies: Replies,
    fail: (robot: string, record: WaitRecord, failed: WaitOutcome) => Promise<unknown>,
  ) {
    this.#store = store;
    this.#directory = directory;
    this.#replies = replies;
    this.#fail = fail;
  }

  /**
   * Sends the wait to the robot-link until it is accepted, resending every second while the wait is not armed, since a message may get lost.
   * A repeated message has no effect: the robot-link identifies a wait by its number.
   * After that the wait needs no delivery: a robot-link that takes the robot over reads the wait from Redis.
   */
  async deliver({ robot: first, record, plan, progress, signal, span, arrivedAt }: DeliveryRequest): Promise<void> {
    let robot = first;
    let redrawn = false;
    let missedAt: number | null = null;
    try {
      while (!progress.over) {
        const reply = await this.#exchange(robot, record, progress, arrivedAt);
        if (reply.t === 'nack') throw new ApiError(reply.code, reply.error, { quotesUntrusted: reply.code !== 'no_ack' });
        if (reply.t === 'media_missing') {
          if (redrawn || plan.picture === null)
            throw new ApiError('render_failed', 'The picture was lost before it could be sent, twice. Try again.');
          redrawn = true;
          await plan.picture(robot, renderOptionsOf(plan, signal, span));
        } else if (reply.t === 'not_here') {
          missedAt ??= performance.now();
          robot = await this.#directory.heldAfter(robot, missedAt);
        } else return;
      }
    } catch (error) {
      if (signal.aborted) return;
      // Lost messages and an unreachable Redis leave the wait to its own deadline; a definite failure ends it now.
      if (error instanceof ApiError)
        await this.#fail(robot.id, record, { outcome: 'failed', code: error.code, error: error.message }).catch(() => {});
    }
  }

  async #exchange(robot: KnownRobot, record: WaitRecord, progress: Progress, arrivedAt: number | undefined): Promise<Reply> {
    const { instance, session } = robot.lease;
    const message: Extract<ToLink, { t: 'wait' }> = { t: 'wait', robot: robot.id, session, record };
    if (arrivedAt !== undefined) message.arrivedAt = arrivedAt;
    const send = (): Promise<number | null> => this.#store.linkMailbox.send(instance, message);
    const answered = this.#replies.expect(record.call, record.timeoutMs + armWithinMs + graceMs, {
      everyMs: silenceMs,
      check: () => {
        if (!progress.armed) void this.#resend(robot, record, send);
      },
    });
    const receivers = await send();
    if (receivers === 0) this.#replies.settle(record.call, { t: 'not_here', id: record.call });
    return answered;
  }

  /** Resends the message, which may have been lost in transit or with its receiver; in the latter case the robot is connected elsewhere. */
  async #resend(robot: KnownRobot, { call }: WaitRecord, send: () => Promise<unknown>): Promise<void> {
    try {
      const current = await this.#directory.read(robot.id);
      if (current?.lease.state === 'held' && current.lease.session !== robot.lease.session) this.#replies.settle(call, { t: 'not_here', id: call });
      else await send();
    } catch {
      // Redis is unreachable; the next attempt follows in a second.
    }
  }
}

/** Returns the render options of a wait: the picture is kept as long as the robot may need it again. */
export function renderOptionsOf(plan: WaitPlan, signal: AbortSignal, span: Span | null): RenderOptions {
  return { ttlMs: armWithinMs + plan.timeoutMs, signal, span };
}
