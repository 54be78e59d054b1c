/** Messages are only hints: the stored wait is read when one may have been lost, and at the deadline. `Waits` of @perch/store states what holds for waits. */
import { ApiError, type DetachedWait, type WaitConsent, type WaitRecord } from '@perch/schema';
import type { Span } from '@perch/runtime';
import {
  armWithinMs,
  callKeptMs,
  greyPageId,
  heldOf,
  newWaitPart,
  StoreError,
  waitIdOf,
  waitPictureId,
  type Store,
  type StoredWait,
} from '@perch/store';
import type { Call } from '../calls/call.js';
import { answerWithinMs } from '../calls/service-time.js';
import { ClientGone, isDraining, OtherAnswered, TakenOver } from '../calls/failures.js';
import type { KeyValidity } from '../calls/key-validity.js';
import type { OpenCalls } from '../calls/open-calls.js';
import type { PagedPicture } from '../media/paged-text.js';
import type { Replies } from '../robots/replies.js';
import { requireFeatures } from '../robots/robot-commands.js';
import { unknownRobot, type KnownRobot, type RobotDirectory } from '../robots/robot-directory.js';
import { HeldWait } from './held-wait.js';
import { WaitDelivery, type FirstDelivery } from './wait-delivery.js';
import { endedOf, lateOutcome, lostWait, notesSeen, overOf, type Ended, type Over } from './wait-outcome.js';
import { WaitPictures } from './wait-pictures.js';
import type { WaitPlan } from './wait-plan.js';
import { WaitSettler } from './wait-settler.js';
import { WaitWatch } from './wait-watch.js';
import { createHash } from 'node:crypto';

/** The robot-link settles the wait at its deadline; the gateway does so only if the robot-link is late by this, ms. */
const graceMs = 250;
/** A cached picture is found within this time, ms; the location of the robot is then not read a second time. */
const cachedPictureMs = 100;
/** How long a wait continues while Redis is unreachable, and the interval of retries meanwhile, ms. */
const storeAwayMs = 3_000;
const storeRetryMs = 250;

export class WaitCalls {
  readonly #store: Pick<Store, 'instance' | 'waits' | 'detachedWaits' | 'linkMailbox' | 'clock'>;
  readonly #directory: RobotDirectory;
  readonly #replies: Replies;
  readonly #openCalls: OpenCalls;
  readonly #keyValidity: KeyValidity;
  readonly #settler: WaitSettler;
  readonly #delivery: WaitDelivery;
  readonly #pictures: WaitPictures;

  constructor(
    store: Pick<Store, 'instance' | 'waits' | 'detachedWaits' | 'linkMailbox' | 'clock'>,
    directory: RobotDirectory,
    replies: Replies,
    openCalls: OpenCalls,
    keyValidity: KeyValidity,
  ) {
    this.#store = store;
    this.#directory = directory;
    this.#replies = replies;
    this.#openCalls = openCalls;
    this.#keyValidity = keyValidity;
    this.#settler = new WaitSettler(store, directory);
    this.#pictures = new WaitPictures(store, directory);
    this.#delivery = new WaitDelivery(store, directory, replies, this.#settler);
  }

  /**
   * Runs a wait until its outcome. Call it with validated arguments: the number taken here decides which of two waits replaces the other. A call that
   * fails before it opens its wait ends no other. @throws {ApiError} robot_offline, not_offered, errors of drawing, no_ack and others of robot-links
   */
  async run(call: Call, plan: WaitPlan): Promise<Ended> {
    const opened = call.effects === null ? null : await call.effects.openedWait();
    if (opened !== null) return this.#openCalls.run(call, 'wait', call.signal, (signal) => this.#resume(call, plan, opened, signal));
    // Bypass the cache: a rejected call must not end another wait, so the location of the robot must be certain.
    const { waits } = this.#store;
    const early = this.#pictures.drawEarly(call, plan);
    const watch = new WaitWatch(waits, call.robot, null);
    const { number, robot } = await this.#numbered(call, plan).catch((error: unknown) => {
      early?.drop();
      watch.end();
      throw error;
    });
    let mayOpen = false;
    watch.number = number;
    const running = this.#openCalls.run(call, 'wait', call.signal, async (signal) => {
      requireFeatures(robot.record, plan.needs);
      const knownAt = performance.now();
      const drawn = await (early?.of(robot, signal) ?? this.#pictures.draw(call, robot, plan, signal));
      // The robot may have disconnected during rendering, and a call that fails must not end another wait.
      const holder = performance.now() - knownAt < cachedPictureMs ? robot : await this.#directory.heldNow(call.robot);
      await this.#keyValidity.require(call, 'before the question was shown');
      const kept = await this.#keptOf(call, plan);
      signal.throwIfAborted();
      const span = call.span?.child(`wait ${plan.kind}`) ?? null;
      const wait = new HeldWait(call, plan, this.#recordOf(call, plan, number, drawn, span), signal, watch, kept);
      const holding = this.#hold(wait, async () => {
        mayOpen = true;
        const first = this.#delivery.first(wait, holder, call.arrivedAt);
        if (!(await this.#open(wait, first))) return { outcome: 'replaced', robotAway: false };
        void this.#delivery.deliver(wait, holder, call.arrivedAt, first);
        return this.#outcome(wait);
      });
      return this.#ended(wait, await (span === null ? holding : traced(span, holding)));
    });
    return running.finally(() => {
      watch.end();
      early?.drop();
      if (!mayOpen && plan.number === undefined) waits.dropped(call.robot, number).catch(() => {});
    });
  }

  async #resume(call: Call, plan: WaitPlan, number: number, signal: AbortSignal): Promise<Ended> {
    const { waits, instance } = this.#store;
    const found = await waits.read(call.robot, number);
    call.effects?.waitBegins();
    if (found === null) throw lostWait();
    // Replies to redelivered messages must reach this gateway.
    const record = { ...found.record, gateway: instance, call: this.#replies.newId() };
    const wait = new HeldWait(call, plan, record, signal, new WaitWatch(waits, call.robot, number), await this.#keptOf(call, plan));
    const over = await this.#hold(wait, async () => {
      const state = await waits.read(call.robot, number);
      if (state === null) throw lostWait();
      if (state.detached !== undefined) return { outcome: 'pending', wait: waitIdOf(call.robot, state), robotAway: false };
      // The message may have been lost with its gateway. If the robot is away now, it has until the arming deadline to come back.
      if (state.outcome === null && state.armed === null) void this.#redeliver(wait).catch(() => {});
      const over = overOf(state);
      // The gateway that asked died before it could write down what was shown.
      if (over !== null && state.armed !== null) plan.shown?.(state.armed.deadline - state.record.timeoutMs);
      return over ?? this.#outcome(wait);
    });
    return this.#ended(wait, over);
  }

  #ended({ armedAt, record }: HeldWait, over: Over): Ended {
    const ended = endedOf(over, notesSeen(record, over));
    return ended.outcome === 'answered' && armedAt !== null ? { ...ended, tapMs: Math.max(0, this.#store.clock.now() - armedAt) } : ended;
  }

  /** Ends the open wait, and every wait whose call arrived earlier, as replaced. @returns whether one was open */
  async stop(call: Call, { id, lease: { instance, session } }: KnownRobot): Promise<boolean> {
    let mayHaveEnded = true;
    try {
      const stopped = await this.#store.waits.stop(id);
      if (stopped === null) throw unknownRobot();
      mayHaveEnded = stopped.ended;
      // A robot-link that takes the robot over meanwhile finds no open wait, and clears a question on the screen.
      this.#store.linkMailbox.send(instance, { t: 'wait_end', robot: id, session, number: stopped.number }).catch(() => {});
      return stopped.ended;
    } finally {
      // Also after a failure, of this part or of another: repeated under the same Idempotency-Key, the call might end a newer wait.
      if (mayHaveEnded) call.effects?.markActed();
    }
  }

  async #numbered({ robot }: Call, { number }: WaitPlan): Promise<{ number: number; robot: KnownRobot }> {
    return number === undefined ? this.#directory.heldNumbered(robot) : { number, robot: await this.#directory.heldNow(robot) };
  }

  #recordOf(call: Call, plan: WaitPlan, number: number, drawn: PagedPicture | null, span: Span | null): WaitRecord {
    const { picture = null, pages = [], greyPages } = drawn ?? {};
    return {
      number,
      kind: plan.kind,
      targets: plan.targets,
      picture,
      ...(pages.length > 0 && { pages: pages.map((page, i) => ({ ...page, id: waitPictureId(number, ((i + 1) % pages.length) + 1) })) }),
      ...(greyPages !== undefined && { greyPages: greyPages.map((page, i) => ({ ...page, id: greyPageId(number, i + 1) })) }),
      timeoutMs: drawn?.timeoutMs ?? plan.timeoutMs,
      gateway: this.#store.instance,
      call: this.#replies.newId(),
      requestId: call.requestId,
      ...(call.effects === null ? null : { keptMs: callKeptMs }),
      ...(span === null ? null : { trace: span.carried }),
      consent: consentOf(call, plan),
      ...(plan.says !== undefined && { says: plan.says }),
      ...(plan.names !== undefined && { names: plan.names }),
    };
  }

  async #hold(wait: HeldWait, begin: () => Promise<Over>): Promise<Over> {
    const { call, record, signal, watch } = wait;
    const onChange = (): void => watch.changed.set();
    await watch.ready();
    signal.addEventListener('abort', onChange, { once: true });
    wait.givenUp?.addEventListener('abort', onChange, { once: true });
    try {
      // Subscribing took time, and a call whose client disconnected meanwhile must not end another wait.
      signal.throwIfAborted();
      call.effects?.waitBegins();
      const over = await begin();
      call.effects?.waitEnded();
      return over;
    } catch (error) {
      // Redis may have opened the wait despite the error, or may still: cancel it. Redis processes the commands in order.
      if (error instanceof StoreError) void this.#settler.settle(call.robot, record.number, { outcome: 'cancelled' }).catch(() => {});
      throw error;
    } finally {
      wait.over = true;
      this.#replies.settle(record.call, { t: 'late' });
      signal.removeEventListener('abort', onChange);
      wait.givenUp?.removeEventListener('abort', onChange);
      watch.end();
    }
  }

  /** @returns false if a wait whose call arrived later was opened before: this one never opens @throws {TakenOver} */
  async #open({ call, plan, record, kept }: HeldWait, first: FirstDelivery | null): Promise<boolean> {
    const { waits } = this.#store;
    const held = kept === null || plan.detach?.from === 'open' ? null : heldOf(kept);
    let opened: boolean | 'lost';
    if (first === null) opened = await waits.open(call.robot, record, call.effects, held);
    else ({ opened, receivers: first.receivers } = await waits.openWith(call.robot, record, call.effects, held, first.message));
    if (opened === 'lost') throw new TakenOver();
    if (opened && kept !== null && kept.queuedAs === undefined) this.#noteNewest(call, record, kept, held !== null);
    return opened;
  }

  /** If Redis fails, `robot_answer` needs the id of the wait. */
  #noteNewest(call: Call, record: WaitRecord, kept: DetachedWait, isReadable: boolean): void {
    const wait = waitIdOf(call.robot, { record, detached: kept });
    if (kept.owner !== undefined) this.#store.detachedWaits.noteNewest(kept.owner, wait, record.timeoutMs).catch(() => undefined);
    if (isReadable) call.pending?.opened?.(wait);
  }

  async #redeliver(wait: HeldWait): Promise<void> {
    await this.#delivery.deliver(wait, await this.#directory.heldNow(wait.call.robot), undefined);
  }

  async #outcome(wait: HeldWait): Promise<Over> {
    wait.call.time.pause();
    try {
      const over = await this.#readUntilOver(wait);
      const ended = over.outcome === 'answered' || over.outcome === 'timed_out' || over.outcome === 'replaced';
      return ended && wait.plan.detach?.from === 'open' ? await this.#detach(wait) : over;
    } finally {
      wait.call.time.resume();
    }
  }

  async #keptOf(call: Call, { detach }: WaitPlan): Promise<DetachedWait | null> {
    if (detach === undefined) return null;
    const { choices, kept } = detach;
    if (kept !== undefined) return kept;
    const owner = await this.#keyValidity.ownerOf(call, 'before the question was shown');
    return { account: '', owner, random: newWaitPart(), choices };
  }

  async #detach({ call, record, kept }: HeldWait): Promise<Over> {
    const wait = await this.#store.detachedWaits.detach(call.robot, record, kept!);
    if (wait === null) throw lostWait();
    try {
      await this.#keyValidity.requireNow(call, 'while the question was shown');
    } catch (error) {
      // Without Redis, a gateway that looks after the question ends it.
      if (!(error instanceof ApiError)) return { outcome: 'pending', wait, robotAway: false };
      await this.#settler.settle(call.robot, record.number, { outcome: 'cancelled' });
      throw error;
    }
    return { outcome: 'pending', wait, robotAway: false };
  }

  async #readUntilOver(wait: HeldWait): Promise<Over> {
    const { call, plan, record, signal, watch, givenUp } = wait;
    const { clock, waits } = this.#store;
    const detachAt = (): number => {
      if (plan.detach?.from === 'open' || givenUp?.aborted === true) return 0;
      return plan.detach?.from === 'later' ? call.pending!.at : Infinity;
    };
    const armBy = Math.min(clock.now() + armWithinMs, call.arrivedAt + answerWithinMs);
    let state: StoredWait = { record, armed: null, outcome: null, robotAway: false };
    let storeAwaySince: number | null = null;
    for (;;) {
      const dueAt = state.armed === null ? armBy : state.armed.deadline + graceMs;
      // A short wait may be armed and over before a message arrives, so it is also read once after its own timeout.
      const readIn = state.armed === null ? Math.min(dueAt - clock.now(), record.timeoutMs + graceMs) : dueAt - clock.now();
      await watch.changed.wait(storeAwaySince !== null ? storeRetryMs : state.armed === null ? readIn : Math.min(readIn, detachAt() - clock.now()));
      if (signal.aborted) return this.#cancel(wait);
      try {
        const read = watch.newsOf(state) ?? (await waits.read(call.robot, record.number));
        storeAwaySince = null;
        if (read === null) throw lostWait();
        state = read;
        wait.armed = state.armed !== null;
        if (state.armed !== null) wait.noteArmed(state.armed.deadline - record.timeoutMs);
        const over = overOf(state);
        if (over !== null) return over;
        if (plan.detach !== undefined && state.armed !== null && clock.now() >= detachAt()) return await this.#detach(wait);
        if (clock.now() >= (state.armed === null ? armBy : state.armed.deadline + graceMs))
          return await this.#settler.settle(call.robot, record.number, lateOutcome(state), await this.#isAway(call.robot));
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        storeAwaySince ??= performance.now();
        if (performance.now() - storeAwaySince > storeAwayMs) throw error;
      }
    }
  }

  /** Cancels the wait of an aborted call. A tap in the same moment still counts, unless no client may read the answer. */
  async #cancel({ call, record, signal }: HeldWait): Promise<Over> {
    const { reason } = signal;
    if (reason instanceof TakenOver) throw reason;
    let over: Over = { outcome: 'cancelled', robotAway: false };
    try {
      over = await this.#settler.settle(call.robot, record.number, { outcome: 'cancelled' });
      call.effects?.waitEnded();
    } catch {
      // The timeout of the wait ends it.
    }
    const readable = isDraining(reason) || reason instanceof OtherAnswered || (call.effects !== null && reason instanceof ClientGone);
    if (over.outcome !== 'cancelled' && readable) return over;
    throw reason;
  }

  /** Bypasses the cache: the robot-link that did not end the wait in time may be dead. */
  async #isAway(robot: string): Promise<boolean> {
    return (await this.#directory.read(robot))?.lease.state === 'away';
  }
}

function consentOf({ keyHash, asksApprovals }: Call, { approval, deny }: WaitPlan): WaitConsent {
  // Robot-links compare it; no one finds the key's record by it.
  const by = createHash('sha256').update(`asks ${keyHash}`).digest('base64url').slice(0, 12);
  return { by, ...((approval === true || asksApprovals) && { approval: true as const }), ...(deny !== undefined && { deny }) };
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
