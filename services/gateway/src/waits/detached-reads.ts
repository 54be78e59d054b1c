/** Reads and removes waits that outlive their calls, at any gateway: for whoever asked, and for the account of the robot on its page. */
import { AsyncSignal } from '@perch/runtime';
import { ApiError, tappedFields, type DetachedWait, type WaitAnswer } from '@perch/schema';
import { parseWaitId, waitIdOf, type AdmittedKey, type Store, type StoredWait } from '@perch/store';
import type { OpenCalls, OpenCaller } from '../calls/open-calls.js';
import { isDraining, robotFailure } from '../calls/failures.js';
import type { KeyValidity } from '../calls/key-validity.js';
import type { ServiceTime } from '../calls/service-time.js';
import type { WaitSettler } from './wait-settler.js';

/** A question of the queue is read this often: it opens under another number. */
const queueReadMs = 1_000;

/** `owner`: as in `DetachedWait`, of the reader. */
export interface WaitReader extends OpenCaller {
  /** The robot's. */
  readonly account: string;
  readonly owner: string;
  /** Not with the scope `approve` alone. */
  readonly hasAsk: boolean;
}

export interface WaitReading extends WaitReader {
  readonly signal: AbortSignal;
  readonly time: Pick<ServiceTime, 'pause' | 'resume'>;
}

export interface Place {
  readonly id: string;
  readonly robot: string;
  readonly number: number;
}

export interface DetachedReadsOptions {
  store: Pick<Store, 'waits' | 'detachedWaits' | 'queue' | 'clock'>;
  openCalls: OpenCalls;
  keyValidity: Pick<KeyValidity, 'ownerOf'>;
  settler: Pick<WaitSettler, 'settle'>;
}

export class DetachedReads {
  readonly #store: DetachedReadsOptions['store'];
  readonly #openCalls: OpenCalls;
  readonly #keyValidity: DetachedReadsOptions['keyValidity'];
  readonly #settler: DetachedReadsOptions['settler'];

  constructor({ store, openCalls, keyValidity, settler }: DetachedReadsOptions) {
    this.#store = store;
    this.#openCalls = openCalls;
    this.#keyValidity = keyValidity;
    this.#settler = settler;
  }

  /** @param admit admits the caller to the robot that the wait names @throws {ApiError} not_found if it reaches no such wait; others of `admit` */
  async reach(id: string, admit: (robot: string) => Promise<AdmittedKey>): Promise<{ place: Place; reader: WaitReader }> {
    const place = parseWaitId(id);
    if (place === null) throw unknownWait();
    try {
      const { account, keyHash, scopes, guest = null } = await admit(place.robot);
      const owner = await this.#keyValidity.ownerOf({ keyHash }, 'before the wait was read');
      return { place: { id, ...place }, reader: { account, keyHash, guest, owner, hasAsk: scopes.includes('ask') } };
    } catch (error) {
      throw error instanceof ApiError && error.code === 'unknown_robot' ? unknownWait() : error;
    }
  }

  /** Resolves when the wait has ended, or after `seconds` as pending. @throws {ApiError} not_found, also for others; the failure of the wait */
  async read(place: Place, reading: WaitReading, seconds: number): Promise<WaitAnswer> {
    const found = await this.#find(place, reading);
    if (found.outcome !== null || seconds === 0) return this.#answer(place, found);
    const { time } = reading;
    time.pause();
    try {
      const state = await this.#openCalls.run(reading, 'poll', reading.signal, (signal) => this.#untilOver(place, reading, seconds, signal));
      return await this.#answer(place, state ?? found);
    } finally {
      time.resume();
    }
  }

  async #answer(place: Place, state: StoredWait): Promise<WaitAnswer> {
    const inQueue = state.queued === true && state.outcome === null;
    return answerOf(place, state, inQueue ? await this.#store.queue.place(place.robot, place.number) : null);
  }

  /** Ends the wait if it is open, reports it and deletes it. @throws {ApiError} not_found */
  async remove(place: Place, reader: WaitReader): Promise<void> {
    const { robot, number } = place;
    const { outcome, record } = await this.#find(place, reader);
    const { waits, detachedWaits } = this.#store;
    // A question of the queue has another number once its turn has come.
    if (outcome === null) await this.#settler.settle(robot, record.number, { outcome: 'cancelled' });
    await detachedWaits.report(robot, record.number);
    for (const own of new Set([record.number, number])) await waits.forget(robot, own);
  }

  async #find({ id, robot, number }: Place, reader: WaitReader): Promise<StoredWait> {
    const state = await this.#store.waits.read(robot, number);
    if (state?.detached === undefined || waitIdOf(robot, state) !== id || !mayRead(state.detached, reader)) throw unknownWait();
    return state;
  }

  /** Resolves to null when this instance drains. */
  async #untilOver(place: Place, reader: WaitReader, seconds: number, signal: AbortSignal): Promise<StoredWait | null> {
    const { waits } = this.#store;
    const until = performance.now() + seconds * 1000;
    const changed = new AsyncSignal();
    /** As which a question of the queue opens; known once it has. */
    let current: number | null = null;
    const unsubscribe = await waits.subscribe(place.robot, (number) => {
      if (number === null || number === place.number || number === current) changed.set();
    });
    try {
      for (;;) {
        // Subscribed first, then read: a wait that ended before is not missed.
        const state = await this.#find(place, reader);
        const leftMs = until - performance.now();
        if (state.outcome !== null || leftMs <= 0) return state;
        current = state.record.number;
        await changed.wait(state.queued === true ? Math.min(leftMs, queueReadMs) : leftMs, signal);
      }
    } catch (error) {
      if (isDraining(signal.reason)) return null;
      throw error;
    } finally {
      unsubscribe();
    }
  }
}

/** A wait of 0.10.x has no owner: the account reads it, with its keys that may ask anything, too. Guests of the robot read only what they asked. */
function mayRead({ account, owner }: DetachedWait, reader: WaitReader): boolean {
  if (owner === undefined) return account === reader.account && !reader.guest && reader.hasAsk;
  return reader.owner === owner || reader.owner === reader.account;
}

/** @throws {ApiError} the failure of the wait; not_found if it was taken away */
function answerOf({ id, robot }: Place, { record, outcome, robotAway, detached, queued }: StoredWait, place: number | null): WaitAnswer {
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
