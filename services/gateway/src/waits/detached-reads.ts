/** Reads and removes waits that outlive their calls, at any gateway. */
import { AsyncSignal } from '@perch/runtime';
import { ApiError, tappedFields, type WaitAnswer } from '@perch/schema';
import { parseWaitId, type AdmittedKey, type Store, type StoredWait } from '@perch/store';
import type { OpenCalls, OpenCaller } from '../calls/open-calls.js';
import { isDraining } from '../calls/failures.js';
import type { ServiceTime } from '../calls/service-time.js';
import type { WaitSettler } from './wait-settler.js';

/** A question of the queue is read this often: it opens under another number. */
const queueReadMs = 1_000;

export interface WaitReading extends OpenCaller {
  readonly account: string;
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
  settler: Pick<WaitSettler, 'settle'>;
}

export class DetachedReads {
  readonly #store: DetachedReadsOptions['store'];
  readonly #openCalls: OpenCalls;
  readonly #settler: DetachedReadsOptions['settler'];

  constructor({ store, openCalls, settler }: DetachedReadsOptions) {
    this.#store = store;
    this.#openCalls = openCalls;
    this.#settler = settler;
  }

  /** @param admit admits the caller to the robot that the wait names @throws {ApiError} not_found if it reaches no such wait; others of `admit` */
  async reach(id: string, admit: (robot: string) => Promise<AdmittedKey>): Promise<{ place: Place; key: AdmittedKey }> {
    const place = parseWaitId(id);
    if (place === null) throw unknownWait();
    try {
      return { place: { id, ...place }, key: await admit(place.robot) };
    } catch (error) {
      throw error instanceof ApiError && error.code === 'unknown_robot' ? unknownWait() : error;
    }
  }

  /** Resolves when the wait has ended, or after `seconds` as pending. @throws {ApiError} not_found, also for another account; the failure of the wait */
  async read(place: Place, reading: WaitReading, seconds: number): Promise<WaitAnswer> {
    const found = await this.#find(place, reading.account);
    if (found.outcome !== null || seconds === 0) return this.#answer(place, found);
    const { time } = reading;
    time.pause();
    try {
      const state = await this.#openCalls.run(reading, 'poll', reading.signal, (signal) => this.#untilOver(place, reading.account, seconds, signal));
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
  async remove({ robot, number }: Place, { account }: Pick<WaitReading, 'account'>): Promise<void> {
    const { outcome, record } = await this.#find({ robot, number }, account);
    const { waits, detachedWaits } = this.#store;
    // A question of the queue has another number once its turn has come.
    if (outcome === null) await this.#settler.settle(robot, record.number, { outcome: 'cancelled' });
    await detachedWaits.report(robot, record.number);
    for (const own of new Set([record.number, number])) await waits.forget(robot, own);
  }

  async #find({ robot, number }: Pick<Place, 'robot' | 'number'>, account: string): Promise<StoredWait> {
    const state = await this.#store.waits.read(robot, number);
    if (state?.detached?.account !== account) throw unknownWait();
    return state;
  }

  /** Resolves to null when this instance drains. */
  async #untilOver(place: Place, account: string, seconds: number, signal: AbortSignal): Promise<StoredWait | null> {
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
        const state = await this.#find(place, account);
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

/** @throws {ApiError} the failure of the wait; not_found if it was taken away */
function answerOf({ id, robot }: Place, { record, outcome, robotAway, detached, queued }: StoredWait, place: number | null): WaitAnswer {
  if (outcome?.outcome === 'failed') throw new ApiError(outcome.code, outcome.error);
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

function unknownWait(): ApiError {
  return new ApiError('not_found', 'There is no such wait: it never was, its hour is over, or it was taken away.');
}
