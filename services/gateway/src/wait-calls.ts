/**
 * The life of an ask, a menu or a clickmap as the gateway holds it: numbered, drawn, opened, told to the robot-link, and held until its outcome
 * stands under its key. Messages are hints; the key is read on each of them and at the deadline.
 */
import {
  ApiError,
  type Feature,
  type PictureRef,
  type Target,
  type WaitKind,
  type WaitOutcome,
  type WaitRecord,
  type WaitState,
} from '@perch/schema';
import { armWithinMs, StoreError, type Store } from '@perch/store';
import type { Call } from './call.js';
import { isDraining, type HeldCalls } from './held-calls.js';
import type { Making } from './media-maker.js';
import type { Replies, Reply } from './replies.js';
import { answerWithinMs, requireFeatures, sendWithinMs } from './robot-commands.js';
import { unknownRobot, type KnownRobot, type RobotDirectory } from './robot-directory.js';

export interface WaitPlan {
  kind: WaitKind;
  needs: readonly Feature[];
  targets: Target[];
  timeoutMs: number;
  /** Draws what the wait shows; called again when the picture was gone before it could be sent. Null: it shows nothing of its own. */
  picture: ((robot: KnownRobot, making: Making) => Promise<PictureRef>) | null;
}

/** How a call that was not broken off ended. */
export type Ended = Extract<WaitOutcome, { outcome: 'answered' | 'timed_out' | 'replaced' }>;

/** The robot-link settles at its own deadline; the gateway only where that one is late. */
const graceMs = 250;
/** A picture seen before is found within this; then where the robot is, is not asked twice. */
const drawnQuicklyMs = 100;
/** How long a wait goes on while Redis does not answer, and how often it asks meanwhile. */
const storeAwayMs = 3_000;
const storeRetryMs = 250;
/** A wait that does not count after so long is told again. */
const silenceMs = 1_000;

/** What the holding of a wait knows that its telling must. */
interface Progress {
  armed: boolean;
  /** It has ended: nobody is told of it any more. */
  over: boolean;
}

export class WaitCalls {
  readonly #store: Pick<Store, 'instance' | 'waits' | 'links' | 'clock'>;
  readonly #directory: RobotDirectory;
  readonly #replies: Replies;
  readonly #held: HeldCalls;

  constructor(store: Pick<Store, 'instance' | 'waits' | 'links' | 'clock'>, directory: RobotDirectory, replies: Replies, held: HeldCalls) {
    this.#store = store;
    this.#directory = directory;
    this.#replies = replies;
    this.#held = held;
  }

  /**
   * Call with valid arguments: the number taken here decides which of two waits replaces the other.
   * A call that fails before it opens ends no other wait.
   * @throws {ApiError} robot_offline, not_offered, what drawing throws, no_ack and what else the robot-link failed it with; the signal's reason
   */
  async run(call: Call, plan: WaitPlan, signal: AbortSignal): Promise<Ended> {
    const number = await this.#store.waits.number(call.robot);
    if (number === null) throw unknownRobot();
    // Not from memory: a call that is refused ends no other wait, so it must be right about where the robot is.
    const robot = await this.#directory.heldNow(call.robot);
    requireFeatures(robot.record, plan.needs);
    return this.#held.run(call.keyHash, 'wait', signal, async (held) => {
      const knownAt = performance.now();
      const picture = await this.#drawn(call, robot, plan, held);
      // Drawing takes a while, and a robot that left meanwhile must not cost another wait its life.
      const holder = performance.now() - knownAt < drawnQuicklyMs ? robot : await this.#directory.heldNow(call.robot);
      held.throwIfAborted();
      const record: WaitRecord = {
        number,
        kind: plan.kind,
        targets: plan.targets,
        picture,
        timeoutMs: plan.timeoutMs,
        gateway: this.#store.instance,
        call: this.#replies.newId(),
        requestId: call.requestId,
      };
      const outcome = await this.#hold(call, holder, record, plan, held);
      if (outcome.outcome === 'failed') throw new ApiError(outcome.code, outcome.error);
      if (outcome.outcome === 'cancelled') throw new ApiError('outcome_unknown', 'The wait was broken off.');
      return outcome;
    });
  }

  /**
   * Ends the open wait, and every one whose call arrived before: their callers are answered that it was replaced.
   * @returns whether one was open
   * @throws {ApiError} unknown_robot
   */
  async stop({ id, lease: { instance, session } }: KnownRobot): Promise<boolean> {
    const stopped = await this.#store.waits.stop(id);
    if (stopped === null) throw unknownRobot();
    // Whoever takes the robot over meanwhile finds no open wait, and takes away a question that shows.
    this.#store.links.send(instance, { t: 'wait_end', robot: id, session, number: stopped.number }).catch(() => {});
    return stopped.ended;
  }

  /** What takes too long to draw is not shown: the call would be answered too late. */
  async #drawn({ arrivedAt }: Call, robot: KnownRobot, plan: WaitPlan, held: AbortSignal): Promise<PictureRef | null> {
    if (plan.picture === null) return null;
    const late = new AbortController();
    const timer = setTimeout(
      () => late.abort(new ApiError('render_failed', 'The picture was not made in time. Try again.')),
      arrivedAt + sendWithinMs - this.#store.clock.now(),
    );
    try {
      return await plan.picture(robot, makingOf(plan, AbortSignal.any([held, late.signal])));
    } finally {
      clearTimeout(timer);
    }
  }

  async #hold(call: Call, robot: KnownRobot, record: WaitRecord, plan: WaitPlan, signal: AbortSignal): Promise<WaitOutcome> {
    const wake = new Wake();
    const hear = (number: number | null): void => {
      if (number === null || number === record.number) wake.ring();
    };
    const unsubscribe = await this.#store.waits.subscribe(robot.id, hear);
    const ring = (): void => wake.ring();
    const progress: Progress = { armed: false, over: false };
    signal.addEventListener('abort', ring, { once: true });
    try {
      // The subscription took a while, and a client that is gone must end no other wait.
      signal.throwIfAborted();
      if (!(await this.#store.waits.open(robot.id, record))) return { outcome: 'replaced' };
      void this.#tell(robot, record, plan, progress, signal);
      return await this.#outcome(call, record, wake, progress, signal);
    } catch (error) {
      // It may be open all the same, and nobody waits for it: Redis does this right behind what it was late with.
      if (error instanceof StoreError) void this.#settle(robot.id, record, { outcome: 'cancelled' }).catch(() => {});
      throw error;
    } finally {
      progress.over = true;
      this.#replies.settle(record.call, { t: 'late' });
      signal.removeEventListener('abort', ring);
      unsubscribe();
    }
  }

  /** Reads the wait on every ring and when something is due, until it has an outcome. */
  async #outcome({ robot, arrivedAt }: Call, record: WaitRecord, wake: Wake, progress: Progress, signal: AbortSignal): Promise<WaitOutcome> {
    const armBy = Math.min(this.#store.clock.now() + armWithinMs, arrivedAt + answerWithinMs);
    let state: WaitState | null = { record, armed: null, outcome: null };
    let storeAwaySince: number | null = null;
    for (;;) {
      const dueAt: number = state.armed === null ? armBy : state.armed.deadline + graceMs;
      // A short wait may be armed and over before anybody tells; it is looked at once in its own time too.
      const lookIn = state.armed === null ? Math.min(dueAt - this.#store.clock.now(), record.timeoutMs + graceMs) : dueAt - this.#store.clock.now();
      await wake.within(storeAwaySince === null ? lookIn : storeRetryMs);
      if (signal.aborted) return this.#breakOff(robot, record, signal);
      try {
        state = await this.#store.waits.read(robot, record.number);
        storeAwaySince = null;
        if (state === null) throw new ApiError('outcome_unknown', 'The wait was lost before it ended.');
        progress.armed = state.armed !== null;
        if (state.outcome !== null) return state.outcome;
        if (this.#store.clock.now() >= (state.armed === null ? armBy : state.armed.deadline + graceMs))
          return await this.#settle(robot, record, lateOutcome(state));
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        storeAwaySince ??= performance.now();
        state ??= { record, armed: null, outcome: null };
        if (performance.now() - storeAwaySince > storeAwayMs) throw error;
      }
    }
  }

  /**
   * Tells the robot-link to show the wait, until one took it: again every second while it does not count, since a message may get lost.
   * Telling twice is harmless: the link knows a wait by its number.
   * Later the wait does not hang on this any more: whoever takes the robot over finds it under its key.
   */
  async #tell(robot: KnownRobot, record: WaitRecord, plan: WaitPlan, progress: Progress, signal: AbortSignal): Promise<void> {
    let redrawn = false;
    let missedAt: number | null = null;
    try {
      while (!progress.over) {
        const reply = await this.#exchange(robot, record, progress);
        if (reply.t === 'nack') throw new ApiError(reply.code, reply.error);
        if (reply.t === 'media_missing') {
          if (redrawn || plan.picture === null)
            throw new ApiError('render_failed', 'The picture was lost before it could be sent, twice. Try again.');
          redrawn = true;
          await plan.picture(robot, makingOf(plan, signal));
        } else if (reply.t === 'not_here') {
          missedAt ??= performance.now();
          robot = await this.#directory.heldAfter(robot, missedAt);
        } else return;
      }
    } catch (error) {
      if (signal.aborted) return;
      // Lost messages and a Redis that is away leave the wait to its own time; what is certain ends it now.
      if (error instanceof ApiError)
        await this.#settle(robot.id, record, { outcome: 'failed', code: error.code, error: error.message }).catch(() => {});
    }
  }

  async #exchange(robot: KnownRobot, record: WaitRecord, progress: Progress): Promise<Reply> {
    const { instance, session } = robot.lease;
    const send = (): Promise<number | null> => this.#store.links.send(instance, { t: 'wait', robot: robot.id, session, record });
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

  /** The call may not go on. What the person answered in the same moment still stands, unless nobody may read it. */
  async #breakOff(robot: string, record: WaitRecord, signal: AbortSignal): Promise<WaitOutcome> {
    const outcome = await this.#settle(robot, record, { outcome: 'cancelled' }).catch((): WaitOutcome => ({ outcome: 'cancelled' }));
    if (outcome.outcome !== 'cancelled' && isDraining(signal.reason)) return outcome;
    throw signal.reason;
  }

  /** Settles a wait and has its picture taken away. @returns the outcome that stands */
  async #settle(robot: string, record: WaitRecord, outcome: WaitOutcome): Promise<WaitOutcome> {
    const settled = await this.#store.waits.settle(robot, record.number, outcome, null);
    if (!settled.settled) return (settled.why === 'late' ? settled.outcome : null) ?? outcome;
    const holder = (await this.#directory.find(robot).catch(() => null))?.lease;
    // A robot that is moving is told by whoever takes it over: it shows a question without an open wait.
    if (holder?.state === 'held') {
      this.#store.links.send(holder.instance, { t: 'wait_end', robot, session: holder.session, number: record.number }).catch(() => {});
    }
    return outcome;
  }
}

/** The picture is there for as long as the wait may have to be drawn again. */
function makingOf(plan: WaitPlan, signal: AbortSignal): Making {
  return { ttlMs: armWithinMs + plan.timeoutMs, signal };
}

/** Nobody settled it in time: not even the robot-link's own clock. */
function lateOutcome(state: WaitState): WaitOutcome {
  if (state.armed !== null) return { outcome: 'timed_out' };
  return { outcome: 'failed', code: 'no_ack', error: 'The robot did not show it in time, and will not any more. Try again.' };
}

/** A bell that remembers one ring. */
class Wake {
  #rung = false;
  #answer: (() => void) | null = null;

  ring(): void {
    this.#rung = true;
    this.#answer?.();
  }

  /** Resolves when it was rung since the last time, or after `ms`. */
  async within(ms: number): Promise<void> {
    if (!this.#rung && ms > 0) {
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.#answer = resolve;
        timer = setTimeout(resolve, ms);
      });
      clearTimeout(timer);
      this.#answer = null;
    }
    this.#rung = false;
  }
}
