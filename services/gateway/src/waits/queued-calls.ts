/**
 * Puts actions into the queue of their robot. A card's call ends with its place; a question's stays open until the tap unless it is detached, and then
 * ends the question when it is cancelled. Gateways show entries when their turn comes (`queue/queue-turns.ts`).
 */
import { AsyncSignal } from '@perch/runtime';
import { ApiError, limits, type ArgsOf, type Feature, type WaitChoice } from '@perch/schema';
import { newWaitPart, StoreError, waitIdOf, type QueueEntry, type QueuedQuestion, type Store } from '@perch/store';
import type { Call } from '../calls/call.js';
import { isDraining, OtherAnswered } from '../calls/failures.js';
import type { KeyValidity } from '../calls/key-validity.js';
import type { OpenCalls } from '../calls/open-calls.js';
import { requireFeatures } from '../robots/robot-commands.js';
import { unknownRobot, type RobotDirectory } from '../robots/robot-directory.js';
import { endedOf, lostWait, overOf, type Ended, type Over } from './wait-outcome.js';
import type { WaitSettler } from './wait-settler.js';

/** A message that a question has ended may be lost: it is read this often, ms. */
const readEveryMs = 2_000;

type Placed = Partial<Pick<ArgsOf<'show'>, 'queue' | 'priority' | 'expires_s' | 'for_s'>> & { detach?: boolean };

export interface QueuedCallsOptions {
  store: Pick<Store, 'clock' | 'detachedWaits' | 'instance' | 'instances' | 'queue' | 'waits'>;
  directory: Pick<RobotDirectory, 'find'>;
  openCalls: OpenCalls;
  keyValidity: Pick<KeyValidity, 'ownerOf' | 'requireNow'>;
  settler: Pick<WaitSettler, 'settle'>;
}

export class QueuedCalls {
  readonly #options: QueuedCallsOptions;

  constructor(options: QueuedCallsOptions) {
    this.#options = options;
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
  ): Promise<Ended> {
    // Its outcome may be read by others than its call.
    const outlives = args.detach === true || call.pending !== null;
    if (!outlives) await this.#options.store.instances.announce();
    const { number, place, question } = await this.#add(call, 'ask', args, needs, (own, owner) => ({
      record: {
        number: own,
        kind: 'ask',
        targets: [],
        picture: null,
        timeoutMs,
        gateway: this.#options.store.instance,
        // Replies to messages about it are for the call that shows it.
        call: 'queue',
        requestId: call.requestId,
      },
      detached: { account: '', owner, random: newWaitPart(), choices, queuedAs: own, ...(outlives ? {} : { held: true as const }) },
    }));
    const wait = waitIdOf(call.robot, question!);
    if (outlives) this.#options.store.detachedWaits.noteNewest(question!.detached.owner!, wait, timeoutMs).catch(() => undefined);
    if (args.detach === true) return { outcome: 'pending', wait, robotAway: false, queued: true, place };
    call.pending?.opened?.(wait);
    return this.#hold(call, number);
  }

  /** Lets the next entry show after the card was taken away. If Redis fails, the card's time ends its turn: the screen is clear all the same. */
  async cleared(robot: string): Promise<void> {
    await this.#options.store.queue.cleared(robot).catch((error: unknown) => {
      if (!(error instanceof StoreError)) throw error;
    });
  }

  async #add(
    call: Call,
    action: QueueEntry['action'],
    args: object & Placed,
    needs: readonly Feature[],
    questionOf: ((number: number, owner: string) => QueuedQuestion) | null,
  ): Promise<{ number: number; place: number; question: QueuedQuestion | null }> {
    const { store, directory, keyValidity } = this.#options;
    const { priority = 0, expires_s: expiresS = limits.queue.expiresSHeld, for_s: forS = limits.queue.forSDefault } = args;
    const known = await directory.find(call.robot);
    if (known === null) throw unknownRobot();
    requireFeatures(known.record, needs);
    const [number, owner] = await Promise.all([store.waits.number(call.robot), keyValidity.ownerOf(call, 'before the queue was reached')]);
    if (number === null) throw unknownRobot();
    const question = questionOf?.(number, owner) ?? null;
    const entry: QueueEntry = {
      action,
      args: unqueued(args),
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

  async #hold(call: Call, number: number): Promise<Ended> {
    const { openCalls, settler } = this.#options;
    if (call.signal.aborted) {
      // Its client went away while it entered the queue.
      await this.#cancel(call.robot, number, settler).catch(() => null);
      throw call.signal.reason;
    }
    call.effects?.waitBegins();
    call.time.pause();
    try {
      const ended = await openCalls.run(call, 'wait', call.signal, (signal) => this.#untilOver(call, number, signal));
      call.effects?.waitEnded();
      return ended;
    } finally {
      call.time.resume();
    }
  }

  async #untilOver({ robot, pending }: Call, number: number, signal: AbortSignal): Promise<Ended> {
    const { store, settler } = this.#options;
    const changed = new AsyncSignal();
    const onGivenUp = (): void => changed.set();
    pending?.givenUp?.addEventListener('abort', onGivenUp, { once: true });
    const unsubscribe = await store.waits.subscribe(robot, () => changed.set());
    try {
      for (;;) {
        const state = await store.waits.read(robot, number);
        if (state === null) throw lostWait();
        const queued = state.queued === true ? { queued: true as const } : {};
        const over = overOf(state);
        if (over !== null) return { ...endedOf(over, state.record.picture?.notes), ...queued };
        const leftMs = pending === null ? Infinity : pending.givenUp?.aborted === true ? 0 : pending.at - store.clock.now();
        if (leftMs <= 0) {
          const place = state.queued === true ? await store.queue.place(robot, number) : null;
          return { outcome: 'pending', wait: waitIdOf(robot, state), robotAway: false, ...queued, ...(place === null ? {} : { place }) };
        }
        await changed.wait(Math.min(leftMs, readEveryMs), signal);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
      // A tap in the same moment still counts, if a client may read it.
      const over: Over | null = await this.#cancel(robot, number, settler).catch(() => null);
      if (over !== null && over.outcome !== 'cancelled' && (isDraining(signal.reason) || signal.reason instanceof OtherAnswered))
        return endedOf(over, undefined);
      throw signal.reason;
    } finally {
      pending?.givenUp?.removeEventListener('abort', onGivenUp);
      unsubscribe();
    }
  }

  async #cancel(robot: string, number: number, settler: Pick<WaitSettler, 'settle'>): Promise<Over | null> {
    const state = await this.#options.store.waits.read(robot, number);
    // If a gateway shows the question at this moment, it finds it cancelled, and takes it away.
    return state === null ? null : settler.settle(robot, state.record.number, { outcome: 'cancelled' });
  }
}

/** Returns the arguments of the action alone. */
export function unqueued<A extends Placed>(args: A): Omit<A, keyof Placed> {
  const { queue: _queue, priority: _priority, expires_s: _expires, for_s: _for, detach: _detach, ...own } = args;
  return own;
}
