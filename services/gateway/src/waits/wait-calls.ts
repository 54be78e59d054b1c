/** Asks, menus and clickmaps: opens the wait of a call and follows it to its end. `Waits` of @perch/store states what holds for waits. */
import { createHash } from 'node:crypto';
import type { Span } from '@perch/runtime';
import { ApiError, type DetachedWait, type WaitConsent, type WaitRecord } from '@perch/schema';
import { armWithinMs, callKeptMs, greyPageId, heldOf, newWaitPart, StoreError, waitIdOf, waitPictureId, type StoredWait } from '@perch/store';
import type { Call } from '../calls/call.js';
import { TakenOver } from '../calls/failures.js';
import { answerWithinMs, sendWithinMs } from '../calls/service-time.js';
import type { PagedPicture } from '../media/paged-text.js';
import { hasFeatures, requireFeatures } from '../robots/robot-commands.js';
import type { CachedRobot } from '../robots/robot-directory.js';
import { WaitDelivery, type FirstDelivery } from './wait-delivery.js';
import type { WaitSettler } from './wait-settler.js';
import { WaitWatch, type Step } from './wait-watch.js';
import {
  endOf,
  endOfAborted,
  lateOutcome,
  lostWait,
  notesOf,
  renderOptionsOf,
  resultOf,
  settleGraceMs,
  type OpenWait,
  type WaitEnd,
  type WaitPlan,
  type WaitResult,
  type WaitServices,
} from './wait.js';

/** A cached picture is found within this time, ms; the location of the robot is then not read a second time. */
const cachedPictureMs = 100;
const notNeeded = new Error('the wait does not need this picture');

export class WaitCalls {
  readonly #services: WaitServices;
  readonly #settler: WaitSettler;
  readonly #delivery: WaitDelivery;

  constructor(services: WaitServices, settler: WaitSettler) {
    this.#services = services;
    this.#settler = settler;
    this.#delivery = new WaitDelivery(services, settler);
  }

  /**
   * Runs a wait until its outcome. Call it with validated arguments: the number taken here decides which of two waits replaces the other. A call that
   * fails before it opens its wait ends no other. @throws {ApiError} robot_offline, not_offered, errors of drawing, no_ack and others of robot-links
   */
  async run(call: Call, plan: WaitPlan): Promise<WaitResult> {
    const opened = call.effects === null ? null : await call.effects.openedWait();
    return this.#services.openCalls.run(call, 'wait', call.signal, (signal) =>
      opened === null ? this.#ask(call, plan, signal) : this.#resume(call, plan, opened, signal),
    );
  }

  async #ask(call: Call, plan: WaitPlan, signal: AbortSignal): Promise<WaitResult> {
    const { store, directory, keyValidity } = this.#services;
    const over = new AbortController();
    const prerender = this.#prerender(call, plan, signal, over.signal);
    const watch = new WaitWatch(store.waits, call.robot, null);
    let taken: number | null = null;
    try {
      // Bypass the cache: a rejected call must not end another wait, so the location of the robot must be certain.
      const { number, robot } =
        plan.number === undefined ? await directory.heldNumbered(call.robot) : { number: plan.number, robot: await directory.heldNow(call.robot) };
      if (plan.number === undefined) taken = number;
      watch.opens(number);
      requireFeatures(robot.record, plan.needs);
      const knownAt = performance.now();
      // If the robot has another session now, its screen may be another.
      const drawn = await (prerender?.session === robot.lease.session ? prerender.picture : this.#draw(call, robot, plan, signal));
      // The robot may have disconnected during rendering, and a call that fails must not end another wait.
      const holder = performance.now() - knownAt < cachedPictureMs ? robot : await directory.heldNow(call.robot);
      await keyValidity.require(call, 'before the question was shown');
      const kept = await this.#keptOf(call, plan);
      signal.throwIfAborted();
      const span = call.span?.child(`wait ${plan.kind}`) ?? null;
      const record = this.#recordOf(call, plan, number, drawn, span);
      const wait: OpenWait = { call, plan, record, signal, watch, kept, armedAt: null, over: false };
      const holding = this.#hold(wait, async () => {
        taken = null;
        const first = this.#delivery.first(wait, holder, call.arrivedAt);
        if (!(await this.#open(wait, first))) return { outcome: 'replaced', robotAway: false };
        void this.#delivery.deliver(wait, holder, call.arrivedAt, first);
        return this.#follow(wait);
      });
      return this.#resultOf(wait, await (span === null ? holding : traced(span, holding)));
    } finally {
      watch.end();
      over.abort(notNeeded);
      if (taken !== null) store.waits.dropped(call.robot, taken).catch(() => {});
    }
  }

  /** Follows the wait that a gateway which died opened for the call. */
  async #resume(call: Call, plan: WaitPlan, number: number, signal: AbortSignal): Promise<WaitResult> {
    const { waits, instance } = this.#services.store;
    const found = await waits.read(call.robot, number);
    call.effects?.waitBegins();
    if (found === null) throw lostWait();
    // Replies to redelivered messages must reach this gateway.
    const record = { ...found.record, gateway: instance, call: this.#services.replies.newId() };
    const kept = await this.#keptOf(call, plan);
    const watch = new WaitWatch(waits, call.robot, number);
    watch.opens(number);
    const wait: OpenWait = { call, plan, record, signal, watch, kept, armedAt: null, over: false };
    const end = await this.#hold(wait, async () => {
      const state = await waits.read(call.robot, number);
      if (state === null) throw lostWait();
      if (state.detached !== undefined) return { outcome: 'pending', wait: waitIdOf(call.robot, state), robotAway: false };
      // The message may have been lost with its gateway. If the robot is away now, it has until the arming deadline to come back.
      if (state.outcome === null && state.armed === null) void this.#redeliver(wait).catch(() => {});
      const ended = endOf(state);
      // The gateway that asked died before it could write down what was shown.
      if (ended !== null && state.armed !== null) plan.onShown?.(state.armed.deadline - state.record.timeoutMs);
      return ended ?? this.#follow(wait);
    });
    return this.#resultOf(wait, end);
  }

  #resultOf({ armedAt, record }: OpenWait, end: WaitEnd): WaitResult {
    const result = resultOf(end, notesOf(record, end));
    return result.outcome === 'answered' && armedAt !== null ? { ...result, tapMs: Math.max(0, this.#services.store.clock.now() - armedAt) } : result;
  }

  /** @throws {ApiError} errors of drawing; render_failed if it takes too long */
  async #draw(call: Call, robot: CachedRobot, plan: WaitPlan, signal: AbortSignal): Promise<PagedPicture | null> {
    if (plan.picture === null) return null;
    const late = new AbortController();
    const timer = setTimeout(
      () => late.abort(new ApiError('render_failed', 'The picture was not made in time. Try again.')),
      call.arrivedAt + sendWithinMs - this.#services.store.clock.now(),
    );
    try {
      return await plan.picture(robot, renderOptionsOf(plan, AbortSignal.any([signal, late.signal]), call));
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * Begins to draw while the call takes its number, for the robot as this gateway knows it, which is one round trip to Redis less. Null: the plan
   * forbids it, or the gateway does not know that the robot can show the wait.
   */
  #prerender(call: Call, plan: WaitPlan, ...signals: AbortSignal[]): { session: string; picture: Promise<PagedPicture | null> } | null {
    const robot = this.#services.directory.cached(call.robot);
    if (plan.mayPrerender !== true || robot === undefined || !hasFeatures(robot.record, plan.needs)) return null;
    const picture = this.#draw(call, robot, plan, AbortSignal.any(signals));
    // The call reports it if it uses the picture.
    picture.catch(() => {});
    return { session: robot.lease.session, picture };
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
      gateway: this.#services.store.instance,
      call: this.#services.replies.newId(),
      requestId: call.requestId,
      ...(call.effects === null ? null : { keptMs: callKeptMs }),
      ...(span === null ? null : { trace: span.carried }),
      consent: consentOf(call, plan),
      ...(plan.says !== undefined && { says: plan.says }),
      ...(plan.names !== undefined && { names: plan.names }),
    };
  }

  async #hold(wait: OpenWait, begin: () => Promise<WaitEnd>): Promise<WaitEnd> {
    const { call, record, signal, watch } = wait;
    await watch.ready();
    try {
      // Subscribing took time, and a call whose client disconnected meanwhile must not end another wait.
      signal.throwIfAborted();
      call.effects?.waitBegins();
      const end = await begin();
      call.effects?.waitEnded();
      return end;
    } catch (error) {
      // Redis may have opened the wait despite the error, or may still: cancel it. Redis processes the commands in order.
      if (error instanceof StoreError) void this.#settler.settle(call.robot, record.number, { outcome: 'cancelled' }).catch(() => {});
      throw error;
    } finally {
      wait.over = true;
      this.#services.replies.settle(record.call, { t: 'late' });
      watch.end();
    }
  }

  /** @returns false if a wait whose call arrived later was opened before: this one never opens @throws {TakenOver} */
  async #open({ call, plan, record, kept }: OpenWait, first: FirstDelivery | null): Promise<boolean> {
    const { waits } = this.#services.store;
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
    if (kept.owner !== undefined) this.#services.store.detachedWaits.noteNewest(kept.owner, wait, record.timeoutMs).catch(() => undefined);
    if (isReadable) call.pending?.opened?.(wait);
  }

  async #redeliver(wait: OpenWait): Promise<void> {
    await this.#delivery.deliver(wait, await this.#services.directory.heldNow(wait.call.robot), undefined);
  }

  async #follow(wait: OpenWait): Promise<WaitEnd> {
    const { call, plan, record, signal, watch } = wait;
    call.time.pause();
    try {
      const { clock } = this.#services.store;
      const armBy = Math.min(clock.now() + armWithinMs, call.arrivedAt + answerWithinMs);
      const state: StoredWait = { record, armed: null, outcome: null, robotAway: false };
      const from = { state, lookInMs: this.#lookInMs(wait, state, armBy) };
      const following = watch.follow({ from, signal, givenUp: givenUpOf(wait), step: (next) => this.#step(wait, next, armBy) });
      const end = await following.catch((error: unknown) => {
        if (signal.aborted && error === signal.reason) return this.#cancel(wait);
        throw error;
      });
      const ended = end.outcome === 'answered' || end.outcome === 'timed_out' || end.outcome === 'replaced';
      return ended && plan.detach?.from === 'open' ? await this.#detach(wait) : end;
    } finally {
      call.time.resume();
    }
  }

  /** @param armBy Redis ms: a wait that is not armed by then has failed */
  async #step(wait: OpenWait, state: StoredWait | null, armBy: number): Promise<Step<WaitEnd>> {
    const { call, plan, record } = wait;
    const { clock } = this.#services.store;
    if (state === null) throw lostWait();
    const { armed } = state;
    if (armed !== null && wait.armedAt === null) {
      wait.armedAt = armed.deadline - record.timeoutMs;
      plan.onShown?.(wait.armedAt);
    }
    const end = endOf(state);
    if (end !== null) return { result: end };
    if (armed !== null && plan.detach !== undefined && clock.now() >= detachAt(wait)) return { result: await this.#detach(wait) };
    if (clock.now() < dueAt(state, armBy)) return { lookInMs: this.#lookInMs(wait, state, armBy) };
    return { result: await this.#settler.settle(call.robot, record.number, lateOutcome(state), await this.#isAway(call.robot)) };
  }

  #lookInMs(wait: OpenWait, state: StoredWait, armBy: number): number {
    const now = this.#services.store.clock.now();
    const dueInMs = dueAt(state, armBy) - now;
    // A short wait may be armed and over before a message arrives, so it is also read once after its own timeout.
    return Math.min(dueInMs, state.armed === null ? wait.record.timeoutMs + settleGraceMs : detachAt(wait) - now);
  }

  async #keptOf(call: Call, { detach }: WaitPlan): Promise<DetachedWait | null> {
    if (detach === undefined) return null;
    const { choices, kept } = detach;
    if (kept !== undefined) return kept;
    const owner = await this.#services.keyValidity.ownerOf(call, 'before the question was shown');
    return { account: '', owner, random: newWaitPart(), choices };
  }

  async #detach({ call, record, kept }: OpenWait): Promise<WaitEnd> {
    const wait = await this.#services.store.detachedWaits.detach(call.robot, record, kept!);
    if (wait === null) throw lostWait();
    try {
      await this.#services.keyValidity.requireNow(call, 'while the question was shown');
    } catch (error) {
      // Without Redis, a gateway that looks after the question ends it.
      if (!(error instanceof ApiError)) return { outcome: 'pending', wait, robotAway: false };
      await this.#settler.settle(call.robot, record.number, { outcome: 'cancelled' });
      throw error;
    }
    return { outcome: 'pending', wait, robotAway: false };
  }

  async #cancel({ call, record, signal }: OpenWait): Promise<WaitEnd> {
    // The gateway that took the call over follows its wait.
    if (signal.reason instanceof TakenOver) throw signal.reason;
    // If Redis fails, the timeout of the wait ends it.
    const end = await this.#settler.settle(call.robot, record.number, { outcome: 'cancelled' }).catch(() => null);
    if (end !== null) call.effects?.waitEnded();
    return endOfAborted(end, signal.reason, call);
  }

  /** Bypasses the cache: the robot-link that did not end the wait in time may be dead. */
  async #isAway(robot: string): Promise<boolean> {
    return (await this.#services.directory.read(robot))?.lease.state === 'away';
  }
}

/** Returns when the robot-link is late, Redis ms. */
function dueAt({ armed }: StoredWait, armBy: number): number {
  return armed === null ? armBy : armed.deadline + settleGraceMs;
}

/** Returns from when on the wait outlives its call, once it is armed, Redis ms. */
function detachAt(wait: OpenWait): number {
  const from = wait.plan.detach?.from;
  if (from === 'open' || givenUpOf(wait)?.aborted === true) return 0;
  return from === 'later' ? wait.call.pending!.at : Infinity;
}

/** Returns the signal that aborts when the wait is to outlive its call at once. */
function givenUpOf({ call, kept }: OpenWait): AbortSignal | undefined {
  return kept === null ? undefined : call.pending?.givenUp;
}

function consentOf({ keyHash, asksApprovals }: Call, { approval, deny }: WaitPlan): WaitConsent {
  // Robot-links compare it; no one finds the key's record by it.
  const by = createHash('sha256').update(`asks ${keyHash}`).digest('base64url').slice(0, 12);
  return { by, ...((approval === true || asksApprovals) && { approval: true as const }), ...(deny !== undefined && { deny }) };
}

async function traced(span: Span, holding: Promise<WaitEnd>): Promise<WaitEnd> {
  try {
    const end = await holding;
    span.set({ 'perch.outcome': end.outcome });
    if (end.outcome === 'failed') span.fail(end.code);
    return end;
  } catch (error) {
    span.fail(error instanceof ApiError ? error.code : 'broken_off');
    throw error;
  } finally {
    span.end();
  }
}
