/** Reads and removes waits that outlive their calls, at any gateway: for whoever asked, and for the account of the robot on its page. */
import { ApiError, tappedFields, type DetachedWait, type WaitAnswer } from '@perch/schema';
import { parseWaitId, waitIdOf, type AdmittedKey, type StoredWait } from '@perch/store';
import type { OpenCaller } from '../calls/open-calls.js';
import { isDraining, robotFailure } from '../calls/failures.js';
import type { ServiceTime } from '../calls/service-time.js';
import type { WaitSettler } from './wait-settler.js';
import { WaitWatch } from './wait-watch.js';
import type { WaitServices } from './wait.js';

/** A question of the queue is read this often: it opens under another number. */
const queueReadMs = 1_000;

/** `owner`: as in `DetachedWait`, of the reader. */
export interface Reader extends OpenCaller {
  /** The robot's. */
  readonly account: string;
  readonly owner: string;
  /** Not with the scope `approve` alone. */
  readonly hasAsk: boolean;
}

export interface Reading extends Reader {
  readonly signal: AbortSignal;
  readonly time: Pick<ServiceTime, 'pause' | 'resume'>;
}

export interface WaitRef {
  readonly id: string;
  readonly robot: string;
  readonly number: number;
}

export class WaitReader {
  readonly #services: WaitServices;
  readonly #settler: WaitSettler;

  constructor(services: WaitServices, settler: WaitSettler) {
    this.#services = services;
    this.#settler = settler;
  }

  /** @param admit admits the caller to the robot that the wait names @throws {ApiError} not_found if it reaches no such wait; others of `admit` */
  async reach(id: string, admit: (robot: string) => Promise<AdmittedKey>): Promise<{ ref: WaitRef; reader: Reader }> {
    const ref = parseWaitId(id);
    if (ref === null) throw unknownWait();
    try {
      const { account, keyHash, scopes, guest = null } = await admit(ref.robot);
      const owner = await this.#services.keyValidity.ownerOf({ keyHash }, 'before the wait was read');
      return { ref: { id, ...ref }, reader: { account, keyHash, guest, owner, hasAsk: scopes.includes('ask') } };
    } catch (error) {
      throw error instanceof ApiError && error.code === 'unknown_robot' ? unknownWait() : error;
    }
  }

  /** Resolves when the wait has ended, or after `seconds` as pending. @throws {ApiError} not_found, also for others; the failure of the wait */
  async read(ref: WaitRef, reading: Reading, seconds: number): Promise<WaitAnswer> {
    const found = await this.#find(ref, reading);
    if (found.outcome !== null || seconds === 0) return this.#answer(ref, found);
    const { time } = reading;
    time.pause();
    try {
      const state = await this.#services.openCalls.run(reading, 'poll', reading.signal, (signal) => this.#untilOver(ref, reading, seconds, signal));
      return await this.#answer(ref, state ?? found);
    } finally {
      time.resume();
    }
  }

  async #answer(ref: WaitRef, state: StoredWait): Promise<WaitAnswer> {
    const inQueue = state.queued === true && state.outcome === null;
    return answerOf(ref, state, inQueue ? await this.#services.store.queue.place(ref.robot, ref.number) : null);
  }

  /** Ends the wait if it is open, reports it and deletes it. @throws {ApiError} not_found */
  async remove(ref: WaitRef, reader: Reader): Promise<void> {
    const { robot, number } = ref;
    const { outcome, record } = await this.#find(ref, reader);
    const { waits, detachedWaits } = this.#services.store;
    // A question of the queue has another number once its turn has come.
    if (outcome === null) await this.#settler.settle(robot, record.number, { outcome: 'cancelled' });
    await detachedWaits.report(robot, record.number);
    for (const own of new Set([record.number, number])) await waits.forget(robot, own);
  }

  async #find(ref: WaitRef, reader: Reader): Promise<StoredWait> {
    return reachable(ref, reader, await this.#services.store.waits.read(ref.robot, ref.number));
  }

  /** Resolves to null when this instance drains. */
  async #untilOver(ref: WaitRef, reader: Reader, seconds: number, signal: AbortSignal): Promise<StoredWait | null> {
    const until = performance.now() + seconds * 1000;
    const following = new WaitWatch(this.#services.store.waits, ref.robot, ref.number).follow<StoredWait>({
      signal,
      step: async (state) => {
        const found = reachable(ref, reader, state);
        const leftMs = until - performance.now();
        if (found.outcome !== null || leftMs <= 0) return { result: found };
        return { lookInMs: found.queued === true ? Math.min(leftMs, queueReadMs) : leftMs };
      },
    });
    return following.catch((error: unknown) => {
      if (isDraining(signal.reason)) return null;
      throw error;
    });
  }
}

/** @throws {ApiError} not_found */
function reachable({ id, robot }: WaitRef, reader: Reader, state: StoredWait | null): StoredWait {
  if (state?.detached === undefined || waitIdOf(robot, state) !== id || !mayRead(state.detached, reader)) throw unknownWait();
  return state;
}

/** A wait of 0.10.x has no owner: the account reads it, with its keys that may ask anything, too. Guests of the robot read only what they asked. */
function mayRead({ account, owner }: DetachedWait, reader: Reader): boolean {
  if (owner === undefined) return account === reader.account && !reader.guest && reader.hasAsk;
  return reader.owner === owner || reader.owner === reader.account;
}

/** @throws {ApiError} the failure of the wait; not_found if it was taken away */
function answerOf({ id, robot }: WaitRef, { record, outcome, robotAway, detached, queued }: StoredWait, place: number | null): WaitAnswer {
  if (outcome?.outcome === 'failed') throw robotFailure(outcome.code, outcome.error);
  if (outcome?.outcome === 'cancelled') throw unknownWait();
  const end = outcome?.outcome ?? 'pending';
  return {
    ok: true,
    wait: id,
    robot,
    action: record.kind,
    outcome: end,
    timed_out: end === 'timed_out',
    replaced: end === 'replaced',
    robot_away: robotAway,
    ...(queued === true && { queued }),
    ...(place !== null && { place }),
    ...tappedFields(record.kind, detached!.choices, outcome),
  };
}

/** One sentence for every reason: to whom a wait does not belong, it must not tell that it exists. */
function unknownWait(): ApiError {
  return new ApiError('not_found', 'There is no such wait for this key: it never was, another key asked it, its hour is over, or it was taken away.');
}
