/**
 * Puts actions into the queue of their robot. A card's call ends with its place; a question's stays open until the tap unless it is detached, and then
 * ends the question when it is cancelled. Gateways show entries when their turn comes (`queue/queue-turns.ts`).
 */
import { ApiError, limits, type ArgsOf, type Feature, type WaitChoice } from '@perch/schema';
import { newWaitPart, StoreError, waitIdOf, type QueueEntry, type QueuedQuestion } from '@perch/store';
import type { Call } from '../calls/call.js';
import { requireFeatures } from '../robots/robot-commands.js';
import { unknownRobot } from '../robots/robot-directory.js';
import type { WaitSettler } from './wait-settler.js';
import { WaitWatch } from './wait-watch.js';
import { endOf, endOfAborted, lostWait, resultOf, type WaitEnd, type WaitResult, type WaitServices } from './wait.js';

/** A message that a question has ended may be lost: it is read this often, ms. */
const readEveryMs = 2_000;

type QueueArgs = Partial<Pick<ArgsOf<'show'>, 'queue' | 'priority' | 'expires_s' | 'for_s'>> & { detach?: boolean };

export class QueueCalls {
  readonly #services: WaitServices;
  readonly #settler: WaitSettler;

  constructor(services: WaitServices, settler: WaitSettler) {
    this.#services = services;
    this.#settler = settler;
  }

  /**
   * Check its picture before; it is fetched and decoded when its turn comes.
   * @throws {ApiError} queue_full, not_offered, unknown_robot
   */
  async show(call: Call, { needs, args }: { needs: readonly Feature[]; args: ArgsOf<'show'> }): Promise<{ queued: true; place: number }> {
    const { place } = await this.#add(call, 'show', args, needs, null);
    return { queued: true, place };
  }

  /** @throws {ApiError} as `show`, and the failure of the question */
  async ask(
    call: Call,
    {
      needs,
      args,
      choices,
      timeoutMs,
    }: { needs: readonly Feature[]; args: ArgsOf<'ask'> & { detach?: boolean }; choices: readonly WaitChoice[]; timeoutMs: number },
  ): Promise<WaitResult> {
    // Its outcome may be read by others than its call.
    const outlives = args.detach === true || call.pending !== null;
    if (!outlives) await this.#services.store.instances.announce();
    const { number, place, question } = await this.#add(call, 'ask', args, needs, (own, owner) => ({
      record: {
        number: own,
        kind: 'ask',
        targets: [],
        picture: null,
        timeoutMs,
        gateway: this.#services.store.instance,
        // Replies to messages about it are for the call that shows it.
        call: 'queue',
        requestId: call.requestId,
      },
      detached: { account: '', owner, random: newWaitPart(), choices, queuedAs: own, ...(outlives ? {} : { held: true as const }) },
    }));
    const wait = waitIdOf(call.robot, question!);
    if (outlives) this.#services.store.detachedWaits.noteNewest(question!.detached.owner!, wait, timeoutMs).catch(() => undefined);
    if (args.detach === true) return { outcome: 'pending', wait, robotAway: false, queued: true, place };
    call.pending?.opened?.(wait);
    return this.#follow(call, number);
  }

  /** Lets the next entry show after the card was taken away. If Redis fails, the card's time ends its turn: the screen is clear all the same. */
  async cleared(robot: string): Promise<void> {
    await this.#services.store.queue.cleared(robot).catch((error: unknown) => {
      if (!(error instanceof StoreError)) throw error;
    });
  }

  async #add(
    call: Call,
    action: QueueEntry['action'],
    args: object & QueueArgs,
    needs: readonly Feature[],
    questionOf: ((number: number, owner: string) => QueuedQuestion) | null,
  ): Promise<{ number: number; place: number; question: QueuedQuestion | null }> {
    const { store, directory, keyValidity } = this.#services;
    const { priority = 0, expires_s: expiresS = limits.queue.expiresSHeld, for_s: forS = limits.queue.forSDefault } = args;
    const known = await directory.find(call.robot);
    if (known === null) throw unknownRobot();
    requireFeatures(known.record, needs);
    const [number, owner] = await Promise.all([store.waits.number(call.robot), keyValidity.ownerOf(call, 'before the queue was reached')]);
    if (number === null) throw unknownRobot();
    const question = questionOf?.(number, owner) ?? null;
    const entry: QueueEntry = {
      action,
      args: withoutQueueArgs(args),
      account: call.account,
      keyHash: call.keyHash,
      guest: call.guest,
      owner,
      ...(call.asksApprovals && { approves: true as const }),
      requestId: call.requestId,
      via: call.notes?.via ?? 'http',
      holder: question?.detached.held === true ? store.instance : '',
      showMs: Math.round(forS * 1000),
    };
    const add = (): Promise<number | 'full' | null> =>
      store.queue.add(call.robot, number, { entry, priority, expiresMs: Math.round(expiresS * 1000), question });
    const place = await this.#once(call, add);
    if (place === null) throw unknownRobot();
    if (place === 'full')
      throw new ApiError('queue_full', `The queue of this robot has ${limits.queue.entriesMax} entries. Try again later, or without queue.`);
    await keyValidity.requireNow(call, 'before its entry in the queue was shown').catch(async (error: unknown) => {
      // Without Redis, the gateway whose turn it is checks the key once more.
      if (!(error instanceof ApiError)) return;
      await store.queue.drop(call.robot, number, { outcome: 'cancelled' });
      throw error;
    });
    return { number, place, question };
  }

  /** If the gateway of a call under an Idempotency-Key dies, another one does not add its entry a second time: the outcome is unknown. */
  async #once({ effects }: Call, add: () => Promise<number | 'full' | null>): Promise<number | 'full' | null> {
    if (effects === null) return add();
    let place: number | 'full' | null = null;
    const reply = await effects.command(async () => {
      place = await add();
      return typeof place === 'number'
        ? { t: 'ack', id: '', result: {} }
        : { t: 'nack', id: '', code: 'robot_busy', error: 'The queue of the robot is full.' };
    });
    if (reply.t === 'late') throw new ApiError('outcome_unknown', 'The call was interrupted; it may be in the queue of the robot.');
    return place;
  }

  async #follow(call: Call, number: number): Promise<WaitResult> {
    if (call.signal.aborted) {
      // Its client went away while it entered the queue.
      await this.#cancel(call.robot, number);
      throw call.signal.reason;
    }
    call.effects?.waitBegins();
    call.time.pause();
    try {
      const result = await this.#services.openCalls.run(call, 'wait', call.signal, (signal) => this.#untilOver(call, number, signal));
      call.effects?.waitEnded();
      return result;
    } finally {
      call.time.resume();
    }
  }

  async #untilOver(call: Call, number: number, signal: AbortSignal): Promise<WaitResult> {
    const { store } = this.#services;
    const { robot, pending } = call;
    const following = new WaitWatch(store.waits, robot, number).follow<WaitResult>({
      signal,
      givenUp: pending?.givenUp,
      step: async (state) => {
        if (state === null) throw lostWait();
        const queued = state.queued === true ? { queued: true as const } : {};
        const end = endOf(state);
        if (end !== null) return { result: { ...resultOf(end, state.record.picture?.notes), ...queued } };
        const leftMs = pending === null ? Infinity : pending.givenUp?.aborted === true ? 0 : pending.at - store.clock.now();
        if (leftMs > 0) return { lookInMs: Math.min(leftMs, readEveryMs) };
        const place = state.queued === true ? await store.queue.place(robot, number) : null;
        return { result: { outcome: 'pending', wait: waitIdOf(robot, state), robotAway: false, ...queued, ...(place === null ? {} : { place }) } };
      },
    });
    return following.catch(async (error: unknown) => {
      if (!signal.aborted) throw error;
      return resultOf(endOfAborted(await this.#cancel(robot, number), signal.reason, call), undefined);
    });
  }

  /** @returns how it ended; null: not known */
  async #cancel(robot: string, number: number): Promise<WaitEnd | null> {
    const { store } = this.#services;
    try {
      const state = await store.waits.read(robot, number);
      // If a gateway shows the question at this moment, it finds it cancelled, and takes it away.
      return state === null ? null : await this.#settler.settle(robot, state.record.number, { outcome: 'cancelled' });
    } catch {
      return null;
    }
  }
}

/** Returns the arguments of the action alone. */
export function withoutQueueArgs<A extends QueueArgs>(args: A): Omit<A, keyof QueueArgs> {
  const { queue: _queue, priority: _priority, expires_s: _expires, for_s: _for, detach: _detach, ...own } = args;
  return own;
}
