/**
 * The life of an ask, a menu or a clickmap as the gateway holds it: numbered, drawn, opened, told to the robot-link, and held until its outcome
 * stands under its key. Messages are hints; the key is read on each of them and at the deadline.
 */
import { ApiError, type PictureRef, type WaitOutcome, type WaitRecord } from '@perch/schema';
import type { Span } from '@perch/runtime';
import { armWithinMs, callKeptMs, StoreError, type Store, type StoredWait } from '@perch/store';
import type { Call } from '../actions/call.js';
import { ClientGone } from '../http/errors.js';
import { isDraining, type HeldCalls } from '../auth/open-calls.js';
import { TakenOver } from '../idempotency/idempotent-call.js';
import type { Replies } from '../robots/replies.js';
import { answerWithinMs, requireFeatures, sendWithinMs } from '../robots/robot-commands.js';
import { unknownRobot, type KnownRobot, type RobotDirectory } from '../robots/robot-directory.js';
import { makingOf, WaitTeller, type Progress, type WaitPlan } from './wait-delivery.js';
import { Wake } from '../events/async-signal.js';

/** How a call that was not broken off ended. */
export type Ended = Over & { outcome: 'answered' | 'timed_out' | 'replaced' };
/** How a wait ended, and whether the robot was away between its opening and its end. */
type Over = WaitOutcome & { robotAway: boolean };

/** The robot-link settles at its own deadline; the gateway only where that one is late. */
const graceMs = 250;
/** A picture seen before is found within this; then where the robot is, is not asked twice. */
const drawnQuicklyMs = 100;
/** How long a wait goes on while Redis does not answer, and how often it asks meanwhile. */
const storeAwayMs = 3_000;
const storeRetryMs = 250;

export class WaitCalls {
  readonly #store: Pick<Store, 'instance' | 'waits' | 'links' | 'clock'>;
  readonly #directory: RobotDirectory;
  readonly #replies: Replies;
  readonly #held: HeldCalls;
  readonly #teller: WaitTeller;

  constructor(store: Pick<Store, 'instance' | 'waits' | 'links' | 'clock'>, directory: RobotDirectory, replies: Replies, held: HeldCalls) {
    this.#store = store;
    this.#directory = directory;
    this.#replies = replies;
    this.#held = held;
    this.#teller = new WaitTeller(store, directory, replies, (robot, record, failed) => this.#settle(robot, record, failed));
  }

  /**
   * Call with valid arguments: the number taken here decides which of two waits replaces the other.
   * A call that fails before it opens ends no other wait.
   * @throws {ApiError} robot_offline, not_offered, what drawing throws, no_ack and what else the robot-link failed it with; the signal's reason
   */
  async run(call: Call, plan: WaitPlan, signal: AbortSignal): Promise<Ended> {
    const opened = call.idempotent?.recalled === true ? await call.idempotent.recallWait() : null;
    if (opened !== null) return this.#held.run(call.keyHash, 'wait', signal, async (held) => endedOf(await this.#resume(call, opened, plan, held)));
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
      const span = call.span?.child(`wait ${plan.kind}`) ?? null;
      const record: WaitRecord = {
        number,
        kind: plan.kind,
        targets: plan.targets,
        picture,
        timeoutMs: plan.timeoutMs,
        gateway: this.#store.instance,
        call: this.#replies.newId(),
        requestId: call.requestId,
        ...(call.idempotent === null ? null : { keptMs: callKeptMs }),
        ...(span === null ? null : { trace: span.carried }),
      };
      const holding = this.#hold(call, record, (progress) => this.#open(holder, record, plan, progress, call, held), held);
      return endedOf(await (span === null ? holding : traced(span, holding)));
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
  async #drawn({ arrivedAt, span }: Call, robot: KnownRobot, plan: WaitPlan, held: AbortSignal): Promise<PictureRef | null> {
    if (plan.picture === null) return null;
    const late = new AbortController();
    const timer = setTimeout(
      () => late.abort(new ApiError('render_failed', 'The picture was not made in time. Try again.')),
      arrivedAt + sendWithinMs - this.#store.clock.now(),
    );
    try {
      return await plan.picture(robot, makingOf(plan, AbortSignal.any([held, late.signal]), span));
    } finally {
      clearTimeout(timer);
    }
  }

  /** @param begin opens the wait, or finds it open; null: its outcome is to be waited for */
  async #hold(call: Call, record: WaitRecord, begin: (progress: Progress) => Promise<Over | null>, signal: AbortSignal): Promise<Over> {
    const { robot, idempotent } = call;
    const wake = new Wake();
    const hear = (number: number | null): void => {
      if (number === null || number === record.number) wake.ring();
    };
    const unsubscribe = await this.#store.waits.subscribe(robot, hear);
    const ring = (): void => wake.ring();
    const progress: Progress = { armed: false, over: false };
    signal.addEventListener('abort', ring, { once: true });
    try {
      // The subscription took a while, and a client that is gone must end no other wait.
      signal.throwIfAborted();
      idempotent?.waitBegins();
      const outcome = (await begin(progress)) ?? (await this.#personsAnswer(call, record, wake, progress, signal));
      idempotent?.waitEnded();
      return outcome;
    } catch (error) {
      // It may be open all the same, and nobody waits for it: Redis does this right behind what it was late with.
      if (error instanceof StoreError) void this.#settle(robot, record, { outcome: 'cancelled' }).catch(() => {});
      throw error;
    } finally {
      progress.over = true;
      this.#replies.settle(record.call, { t: 'late' });
      signal.removeEventListener('abort', ring);
      unsubscribe();
    }
  }

  async #open(robot: KnownRobot, record: WaitRecord, plan: WaitPlan, progress: Progress, call: Call, signal: AbortSignal): Promise<Over | null> {
    const opened = await this.#store.waits.open(robot.id, record, call.idempotent);
    if (opened === 'lost') throw new TakenOver();
    if (!opened) return { outcome: 'replaced', robotAway: false };
    void this.#teller.tell({ robot, record, plan, progress, signal, span: call.span, arrivedAt: call.takeArrival() });
    return null;
  }

  /** Holds a wait that a gateway opened which is dead by now. */
  async #resume(call: Call, number: number, plan: WaitPlan, signal: AbortSignal): Promise<Over> {
    const { waits, instance } = this.#store;
    const found = await waits.read(call.robot, number);
    call.idempotent?.waitBegins();
    if (found === null) throw lostWait();
    // Replies to what is told again come here.
    const record = { ...found.record, gateway: instance, call: this.#replies.newId() };
    const begin = async (progress: Progress): Promise<Over | null> => {
      const state = await waits.read(call.robot, number);
      if (state === null) throw lostWait();
      const tellAgain = async (): Promise<void> =>
        this.#teller.tell({ robot: await this.#directory.heldNow(call.robot), record, plan, progress, signal, span: call.span });
      // The word of it may have died with its gateway. A robot that is away by now has time until the wait must count.
      if (state.outcome === null && state.armed === null) void tellAgain().catch(() => {});
      return overOf(state);
    };
    return this.#hold(call, record, begin, signal);
  }

  /** As `#outcome`; that time is the robot's and the person's. */
  async #personsAnswer(call: Call, ...rest: [WaitRecord, Wake, Progress, AbortSignal]): Promise<Over> {
    call.time.waits();
    try {
      return await this.#outcome(call, ...rest);
    } finally {
      call.time.resumes();
    }
  }

  /** Reads the wait on every ring and when something is due, until it has an outcome. */
  async #outcome(call: Call, record: WaitRecord, wake: Wake, progress: Progress, signal: AbortSignal): Promise<Over> {
    const { robot, arrivedAt } = call;
    const armBy = Math.min(this.#store.clock.now() + armWithinMs, arrivedAt + answerWithinMs);
    let state: StoredWait | null = { record, armed: null, outcome: null, robotAway: false };
    let storeAwaySince: number | null = null;
    for (;;) {
      const dueAt: number = state.armed === null ? armBy : state.armed.deadline + graceMs;
      // A short wait may be armed and over before anybody tells; it is looked at once in its own time too.
      const lookIn = state.armed === null ? Math.min(dueAt - this.#store.clock.now(), record.timeoutMs + graceMs) : dueAt - this.#store.clock.now();
      await wake.within(storeAwaySince === null ? lookIn : storeRetryMs);
      if (signal.aborted) return this.#breakOff(call, record, signal);
      try {
        state = await this.#store.waits.read(robot, record.number);
        storeAwaySince = null;
        if (state === null) throw lostWait();
        progress.armed = state.armed !== null;
        const over = overOf(state);
        if (over !== null) return over;
        if (this.#store.clock.now() >= (state.armed === null ? armBy : state.armed.deadline + graceMs))
          return await this.#settle(robot, record, lateOutcome(state), await this.#isAway(robot));
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        storeAwaySince ??= performance.now();
        state ??= { record, armed: null, outcome: null, robotAway: false };
        if (performance.now() - storeAwaySince > storeAwayMs) throw error;
      }
    }
  }

  /** The call may not go on. What the person answered in the same moment still stands, unless nobody may read it. */
  async #breakOff({ robot, idempotent }: Call, record: WaitRecord, signal: AbortSignal): Promise<Over> {
    if (signal.reason instanceof TakenOver) throw signal.reason;
    let outcome: Over = { outcome: 'cancelled', robotAway: false };
    try {
      outcome = await this.#settle(robot, record, { outcome: 'cancelled' });
      idempotent?.waitEnded();
    } catch {
      // Its time-out ends it.
    }
    const readable = isDraining(signal.reason) || (idempotent !== null && signal.reason instanceof ClientGone);
    if (outcome.outcome !== 'cancelled' && readable) return outcome;
    throw signal.reason;
  }

  /** By Redis, not from memory: the robot-link that did not end the wait in time may be dead. */
  async #isAway(robot: string): Promise<boolean> {
    return (await this.#directory.read(robot))?.lease.state === 'away';
  }

  /** Settles a wait and has its picture taken away. @param robotAway whether the robot is away now @returns the outcome that stands */
  async #settle(robot: string, record: WaitRecord, outcome: WaitOutcome, robotAway = false): Promise<Over> {
    const { waits } = this.#store;
    const settled = await waits.settle(robot, record.number, outcome, null, undefined, robotAway);
    const read = async (): Promise<Over> => overOf(await waits.read(robot, record.number)) ?? { ...outcome, robotAway };
    if (!settled.settled) return read();
    const holder = (await this.#directory.find(robot).catch(() => null))?.lease;
    // A robot that is moving is told by whoever takes it over: it shows a question without an open wait.
    if (holder?.state === 'held') {
      this.#store.links.send(holder.instance, { t: 'wait_end', robot, session: holder.session, number: record.number }).catch(() => {});
    }
    return outcome.outcome === 'timed_out' ? read() : { ...outcome, robotAway };
  }
}

/** Ends the span of a wait with its outcome. */
async function traced(span: Span, holding: Promise<Over>): Promise<Over> {
  try {
    const over = await holding;
    span.set({ 'perch.outcome': over.outcome });
    if (over.outcome === 'failed') span.fail(over.code);
    return over;
  } catch (error) {
    span.fail(error instanceof ApiError ? error.code : 'broken_off');
    throw error;
  } finally {
    span.end();
  }
}

function overOf(wait: StoredWait | null): Over | null {
  return wait === null || wait.outcome === null ? null : { ...wait.outcome, robotAway: wait.robotAway };
}

/** @throws {ApiError} what the wait failed with */
function endedOf(outcome: Over): Ended {
  if (outcome.outcome === 'failed') throw new ApiError(outcome.code, outcome.error);
  if (outcome.outcome === 'cancelled') throw new ApiError('outcome_unknown', 'The wait was broken off.');
  return outcome;
}

function lostWait(): ApiError {
  return new ApiError('outcome_unknown', 'The wait was lost before it ended.');
}

/** Nobody settled it in time: not even the robot-link's own clock. */
function lateOutcome(state: StoredWait): WaitOutcome {
  if (state.armed !== null) return { outcome: 'timed_out' };
  return { outcome: 'failed', code: 'no_ack', error: 'The robot did not show it in time, and will not any more. Try again.' };
}
