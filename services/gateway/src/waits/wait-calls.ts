/**
 * Runs the waits of ask, menu and clickmap: takes a number, draws the picture, opens the wait, delivers it to the robot-link and waits until Redis has
 * its outcome. Messages are only hints: the stored wait is read on each of them and at the deadline.
 */
import { ApiError, type PictureRef, type WaitOutcome, type WaitRecord } from '@perch/schema';
import type { Span } from '@perch/runtime';
import { armWithinMs, callKeptMs, StoreError, type Store, type StoredWait } from '@perch/store';
import type { Call } from '../actions/call.js';
import { ClientGone } from '../http/errors.js';
import { isDraining, type OpenCalls } from '../auth/open-calls.js';
import { TakenOver } from '../idempotency/idempotent-call.js';
import type { Replies } from '../robots/replies.js';
import { answerWithinMs, requireFeatures, sendWithinMs } from '../robots/robot-commands.js';
import { unknownRobot, type KnownRobot, type RobotDirectory } from '../robots/robot-directory.js';
import { renderOptionsOf, WaitDelivery, type Progress, type WaitPlan } from './wait-delivery.js';
import { AsyncSignal } from '../events/async-signal.js';

export type Ended = Over & { outcome: 'answered' | 'timed_out' | 'replaced' };
/** Outcome of a wait, and whether the robot was away at any time while it was open. */
type Over = WaitOutcome & { robotAway: boolean };

/** The robot-link settles the wait at its deadline; the gateway does so only if the robot-link is late by this, ms. */
const graceMs = 250;
/** A cached picture is found within this time, ms; the location of the robot is then not read a second time. */
const cachedPictureMs = 100;
/** How long a wait continues while Redis is unreachable, and the interval of retries meanwhile, ms. */
const storeAwayMs = 3_000;
const storeRetryMs = 250;

export class WaitCalls {
  readonly #store: Pick<Store, 'instance' | 'waits' | 'linkMailbox' | 'clock'>;
  readonly #directory: RobotDirectory;
  readonly #replies: Replies;
  readonly #openCalls: OpenCalls;
  readonly #delivery: WaitDelivery;

  constructor(store: Pick<Store, 'instance' | 'waits' | 'linkMailbox' | 'clock'>, directory: RobotDirectory, replies: Replies, openCalls: OpenCalls) {
    this.#store = store;
    this.#directory = directory;
    this.#replies = replies;
    this.#openCalls = openCalls;
    this.#delivery = new WaitDelivery(store, directory, replies, (robot, record, failed) => this.#settle(robot, record, failed));
  }

  /**
   * Runs a wait until its outcome. Call it with validated arguments: the number taken here decides which of two waits replaces the other.
   * A call that fails before it opens its wait ends no other wait.
   * @throws {ApiError} robot_offline, not_offered, errors of drawing, no_ack and other failures reported by the robot-link; the signal's reason
   */
  async run(call: Call, plan: WaitPlan, signal: AbortSignal): Promise<Ended> {
    const opened = call.idempotent?.recalled === true ? await call.idempotent.recallWait() : null;
    if (opened !== null)
      return this.#openCalls.run(call.keyHash, 'wait', signal, async (held) => endedOf(await this.#resume(call, opened, plan, held)));
    const number = await this.#store.waits.number(call.robot);
    if (number === null) throw unknownRobot();
    // Bypass the cache: a rejected call must not end another wait, so the location of the robot must be certain.
    const robot = await this.#directory.heldNow(call.robot);
    requireFeatures(robot.record, plan.needs);
    return this.#openCalls.run(call.keyHash, 'wait', signal, async (held) => {
      const knownAt = performance.now();
      const picture = await this.#draw(call, robot, plan, held);
      // The robot may have disconnected during rendering, and a call that fails must not end another wait.
      const holder = performance.now() - knownAt < cachedPictureMs ? robot : await this.#directory.heldNow(call.robot);
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
   * Ends the open wait, and every wait whose call arrived earlier, as replaced.
   * @returns whether one was open
   * @throws {ApiError} unknown_robot
   */
  async stop({ id, lease: { instance, session } }: KnownRobot): Promise<boolean> {
    const stopped = await this.#store.waits.stop(id);
    if (stopped === null) throw unknownRobot();
    // A robot-link that takes the robot over meanwhile finds no open wait, and clears a question on the screen.
    this.#store.linkMailbox.send(instance, { t: 'wait_end', robot: id, session, number: stopped.number }).catch(() => {});
    return stopped.ended;
  }

  /** Draws the picture of a wait. Fails if that takes too long, because the call would be answered too late. */
  async #draw({ arrivedAt, span }: Call, robot: KnownRobot, plan: WaitPlan, held: AbortSignal): Promise<PictureRef | null> {
    if (plan.picture === null) return null;
    const late = new AbortController();
    const timer = setTimeout(
      () => late.abort(new ApiError('render_failed', 'The picture was not made in time. Try again.')),
      arrivedAt + sendWithinMs - this.#store.clock.now(),
    );
    try {
      return await plan.picture(robot, renderOptionsOf(plan, AbortSignal.any([held, late.signal]), span));
    } finally {
      clearTimeout(timer);
    }
  }

  /** Holds a wait until its outcome. @param begin opens the wait, or finds it open; resolves to null if its outcome must be awaited */
  async #hold(call: Call, record: WaitRecord, begin: (progress: Progress) => Promise<Over | null>, signal: AbortSignal): Promise<Over> {
    const { robot, idempotent } = call;
    const changed = new AsyncSignal();
    const onMessage = (number: number | null): void => {
      if (number === null || number === record.number) changed.set();
    };
    const unsubscribe = await this.#store.waits.subscribe(robot, onMessage);
    const onChange = (): void => changed.set();
    const progress: Progress = { armed: false, over: false };
    signal.addEventListener('abort', onChange, { once: true });
    try {
      // Subscribing took time, and a call whose client disconnected meanwhile must not end another wait.
      signal.throwIfAborted();
      idempotent?.waitBegins();
      const outcome = (await begin(progress)) ?? (await this.#waitForOutcome(call, record, changed, progress, signal));
      idempotent?.waitEnded();
      return outcome;
    } catch (error) {
      // Redis may have opened the wait despite the error, or may still: cancel it. Redis processes the commands in order.
      if (error instanceof StoreError) void this.#settle(robot, record, { outcome: 'cancelled' }).catch(() => {});
      throw error;
    } finally {
      progress.over = true;
      this.#replies.settle(record.call, { t: 'late' });
      signal.removeEventListener('abort', onChange);
      unsubscribe();
    }
  }

  async #open(robot: KnownRobot, record: WaitRecord, plan: WaitPlan, progress: Progress, call: Call, signal: AbortSignal): Promise<Over | null> {
    const opened = await this.#store.waits.open(robot.id, record, call.idempotent);
    if (opened === 'lost') throw new TakenOver();
    if (!opened) return { outcome: 'replaced', robotAway: false };
    void this.#delivery.deliver({ robot, record, plan, progress, signal, span: call.span, arrivedAt: call.takeArrival() });
    return null;
  }

  async #resume(call: Call, number: number, plan: WaitPlan, signal: AbortSignal): Promise<Over> {
    const { waits, instance } = this.#store;
    const found = await waits.read(call.robot, number);
    call.idempotent?.waitBegins();
    if (found === null) throw lostWait();
    // Replies to redelivered messages must reach this gateway.
    const record = { ...found.record, gateway: instance, call: this.#replies.newId() };
    const begin = async (progress: Progress): Promise<Over | null> => {
      const state = await waits.read(call.robot, number);
      if (state === null) throw lostWait();
      const redeliver = async (): Promise<void> =>
        this.#delivery.deliver({ robot: await this.#directory.heldNow(call.robot), record, plan, progress, signal, span: call.span });
      // The message may have been lost with its gateway. If the robot is away now, it has until the arming deadline to come back.
      if (state.outcome === null && state.armed === null) void redeliver().catch(() => {});
      return overOf(state);
    };
    return this.#hold(call, record, begin, signal);
  }

  /** As `#outcome`, excluding the time from the service's own time. */
  async #waitForOutcome(call: Call, ...rest: [WaitRecord, AsyncSignal, Progress, AbortSignal]): Promise<Over> {
    call.time.pause();
    try {
      return await this.#outcome(call, ...rest);
    } finally {
      call.time.resume();
    }
  }

  /** Reads the wait on every message and at every deadline, until it has an outcome. */
  async #outcome(call: Call, record: WaitRecord, changed: AsyncSignal, progress: Progress, signal: AbortSignal): Promise<Over> {
    const { robot, arrivedAt } = call;
    const armBy = Math.min(this.#store.clock.now() + armWithinMs, arrivedAt + answerWithinMs);
    let state: StoredWait | null = { record, armed: null, outcome: null, robotAway: false };
    let storeAwaySince: number | null = null;
    for (;;) {
      const dueAt: number = state.armed === null ? armBy : state.armed.deadline + graceMs;
      // A short wait may be armed and over before a message arrives, so it is also read once after its own timeout.
      const readIn = state.armed === null ? Math.min(dueAt - this.#store.clock.now(), record.timeoutMs + graceMs) : dueAt - this.#store.clock.now();
      await changed.wait(storeAwaySince === null ? readIn : storeRetryMs);
      if (signal.aborted) return this.#cancel(call, record, signal);
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

  /** Cancels the wait of an aborted call. A tap in the same moment still counts, unless no client may read the answer. */
  async #cancel({ robot, idempotent }: Call, record: WaitRecord, signal: AbortSignal): Promise<Over> {
    if (signal.reason instanceof TakenOver) throw signal.reason;
    let outcome: Over = { outcome: 'cancelled', robotAway: false };
    try {
      outcome = await this.#settle(robot, record, { outcome: 'cancelled' });
      idempotent?.waitEnded();
    } catch {
      // The timeout of the wait ends it.
    }
    const readable = isDraining(signal.reason) || (idempotent !== null && signal.reason instanceof ClientGone);
    if (outcome.outcome !== 'cancelled' && readable) return outcome;
    throw signal.reason;
  }

  /** Whether the robot is away, bypassing the cache: the robot-link that did not end the wait in time may be dead. */
  async #isAway(robot: string): Promise<boolean> {
    return (await this.#directory.read(robot))?.lease.state === 'away';
  }

  /** Settles a wait and clears its picture. @param robotAway whether the robot is away now @returns the stored outcome, which may be an earlier one */
  async #settle(robot: string, record: WaitRecord, outcome: WaitOutcome, robotAway = false): Promise<Over> {
    const { waits } = this.#store;
    const settled = await waits.settle(robot, record.number, outcome, null, undefined, robotAway);
    const read = async (): Promise<Over> => overOf(await waits.read(robot, record.number)) ?? { ...outcome, robotAway };
    if (!settled.settled) return read();
    const holder = (await this.#directory.find(robot).catch(() => null))?.lease;
    // For a robot that is moving, the robot-link that takes it over clears a question without an open wait.
    if (holder?.state === 'held') {
      this.#store.linkMailbox.send(holder.instance, { t: 'wait_end', robot, session: holder.session, number: record.number }).catch(() => {});
    }
    return outcome.outcome === 'timed_out' ? read() : { ...outcome, robotAway };
  }
}

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

/** Returns the result of a wait. @throws {ApiError} the failure of the wait */
function endedOf(outcome: Over): Ended {
  if (outcome.outcome === 'failed') throw new ApiError(outcome.code, outcome.error);
  if (outcome.outcome === 'cancelled') throw new ApiError('outcome_unknown', 'The wait was cancelled.');
  return outcome;
}

function lostWait(): ApiError {
  return new ApiError('outcome_unknown', 'The wait was lost before it ended.');
}

function lateOutcome(state: StoredWait): WaitOutcome {
  if (state.armed !== null) return { outcome: 'timed_out' };
  return { outcome: 'failed', code: 'no_ack', error: 'The robot did not show it in time and will not show it later. Try again.' };
}
