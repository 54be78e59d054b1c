/** Tells the robot-link that holds the robot of a wait, until it took it; what of that goes wrong for certain ends the wait. */
import { ApiError, type Feature, type PictureRef, type Target, type ToLink, type WaitKind, type WaitOutcome, type WaitRecord } from '@perch/schema';
import type { Span } from '@perch/runtime';
import { armWithinMs, type Store } from '@perch/store';
import type { Making } from '../media/media-maker.js';
import type { Replies, Reply } from '../robots/replies.js';
import type { KnownRobot, RobotDirectory } from '../robots/robot-directory.js';

export interface WaitPlan {
  kind: WaitKind;
  needs: readonly Feature[];
  targets: Target[];
  timeoutMs: number;
  /** Draws what the wait shows; called again when the picture was gone before it could be sent. Null: it shows nothing of its own. */
  picture: ((robot: KnownRobot, making: Making) => Promise<PictureRef>) | null;
}

/** What the holding of a wait knows that its telling must. */
export interface Progress {
  armed: boolean;
  /** It has ended: nobody is told of it any more. */
  over: boolean;
}

/** A wait that does not count after so long is told again. */
const silenceMs = 1_000;
/** A reply may come until the wait is over. */
const graceMs = 250;

export interface Telling {
  robot: KnownRobot;
  record: WaitRecord;
  plan: WaitPlan;
  progress: Progress;
  signal: AbortSignal;
  /** Of a traced call. */
  span: Span | null;
  /** As in the message; undefined for a wait that another gateway opened. */
  arrivedAt?: number | undefined;
}

export class WaitTeller {
  readonly #store: Pick<Store, 'links'>;
  readonly #directory: RobotDirectory;
  readonly #replies: Replies;
  readonly #fail: (robot: string, record: WaitRecord, failed: WaitOutcome) => Promise<unknown>;

  /** @param fail ends a wait that cannot be shown */
  constructor(
    store: Pick<Store, 'links'>,
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
   * Tells the robot-link to show the wait, until one took it: again every second while it does not count, since a message may get lost.
   * Telling twice is harmless: the link knows a wait by its number.
   * Later the wait does not hang on this any more: whoever takes the robot over finds it under its key.
   */
  async tell({ robot: first, record, plan, progress, signal, span, arrivedAt }: Telling): Promise<void> {
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
          await plan.picture(robot, makingOf(plan, signal, span));
        } else if (reply.t === 'not_here') {
          missedAt ??= performance.now();
          robot = await this.#directory.heldAfter(robot, missedAt);
        } else return;
      }
    } catch (error) {
      if (signal.aborted) return;
      // Lost messages and a Redis that is away leave the wait to its own time; what is certain ends it now.
      if (error instanceof ApiError)
        await this.#fail(robot.id, record, { outcome: 'failed', code: error.code, error: error.message }).catch(() => {});
    }
  }

  async #exchange(robot: KnownRobot, record: WaitRecord, progress: Progress, arrivedAt: number | undefined): Promise<Reply> {
    const { instance, session } = robot.lease;
    const message: Extract<ToLink, { t: 'wait' }> = { t: 'wait', robot: robot.id, session, record };
    if (arrivedAt !== undefined) message.arrivedAt = arrivedAt;
    const send = (): Promise<number | null> => this.#store.links.send(instance, message);
    const answered = this.#replies.expect(record.call, record.timeoutMs + armWithinMs + graceMs, {
      everyMs: silenceMs,
      look: () => {
        if (!progress.armed) void this.#tellAgain(robot, record, send);
      },
    });
    const receivers = await send();
    if (receivers === 0) this.#replies.settle(record.call, { t: 'not_here', id: record.call });
    return answered;
  }

  /** The message may have got lost, on its way or with its receiver: then the robot is elsewhere by now. */
  async #tellAgain(robot: KnownRobot, { call }: WaitRecord, send: () => Promise<unknown>): Promise<void> {
    try {
      const now = await this.#directory.read(robot.id);
      if (now?.lease.state === 'held' && now.lease.session !== robot.lease.session) this.#replies.settle(call, { t: 'not_here', id: call });
      else await send();
    } catch {
      // Redis is away; there is a next second.
    }
  }
}

/** The picture is there for as long as the wait may have to be drawn again. */
export function makingOf(plan: WaitPlan, signal: AbortSignal, span: Span | null): Making {
  return { ttlMs: armWithinMs + plan.timeoutMs, signal, span };
}
