/**
 * Waits: at most one open ask, menu or clickmap per robot. A wait's outcome is written once, by whoever settles first
 * (the tap, the time-out, a newer wait, a hang-up), and stays under its key until a minute after its deadline.
 */
import type { Armed, WaitOutcome, WaitRecord, WaitState } from '@perch/schema';
import { guarded } from '../redis/guarded.js';
import { robotKeys } from '../keys.js';
import { beatLateMs } from '../instances/instances.js';
import type { Connections } from '../redis/connections.js';

/** How long an opened wait may take until its picture is on the screen, ms. */
export const armWithinMs = 10_000;
/** How long its outcome can be read from its deadline on, ms, where its record does not say otherwise. */
const keptMs = 60_000;

export type Settled =
  /** This call ended the wait. */
  | { settled: true }
  /** `late`: it had ended before (`outcome` null when its key is gone). `old`: the input was stored before. `lost`: another session holds the robot. */
  | { settled: false; why: 'late'; outcome: WaitOutcome | null }
  | { settled: false; why: 'old' | 'lost' };

/** A wait as it stands. */
export interface StoredWait extends WaitState {
  /** Whether the robot was away, or restarted, between the wait's opening and its end; false while it is open. */
  robotAway: boolean;
}

export class Waits {
  readonly #connections: Connections;

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  /**
   * The number of a wait, taken when its call arrives with valid arguments. It opens nothing and ends nothing.
   * @returns null when there is no such robot any more
   */
  async number(robot: string): Promise<number | null> {
    const number = await this.#connections.script('waitNumber', [robotKeys.waitHead(robot), robotKeys.record(robot)], []);
    return number === '' ? null : Number(number);
  }

  /**
   * Opens a wait; the open one with a lower number ends as replaced, at once.
   * @param by the call under an Idempotency-Key that opens it: its record names the wait from then on
   * @returns false when a higher number was opened before: then this one is replaced itself and never opens; `lost` when another gateway took `by` over
   */
  async open(robot: string, record: WaitRecord, by: { name: string; claim: string } | null = null): Promise<boolean | 'lost'> {
    const replaced: WaitOutcome = { outcome: 'replaced' };
    const [result] = (await this.#connections.script(
      'waitOpen',
      [robotKeys.waitHead(robot), robotKeys.lease(robot), robotKeys.record(robot), ...(by === null ? [] : [robotKeys.call(robot, by.name)])],
      [
        record.number,
        JSON.stringify(record),
        record.timeoutMs + armWithinMs + (record.keptMs ?? keptMs),
        robotKeys.wait(robot, ''),
        JSON.stringify(replaced),
        this.#connections.publishCommand,
        robotKeys.waitsChannel(robot),
        by?.claim ?? '',
      ],
    )) as [string];
    return result === 'lost' ? 'lost' : result === 'opened';
  }

  /**
   * Ends the open wait as replaced, and with it every wait that took its number before: one that opens later finds a higher number.
   * @returns up to which number all are over, and whether one was open; null when there is no such robot any more
   */
  async stop(robot: string): Promise<{ number: number; ended: boolean } | null> {
    const replaced: WaitOutcome = { outcome: 'replaced' };
    const [number, ended] = (await this.#connections.script(
      'waitStop',
      [robotKeys.waitHead(robot), robotKeys.record(robot), robotKeys.lease(robot)],
      [robotKeys.wait(robot, ''), JSON.stringify(replaced), this.#connections.publishCommand, robotKeys.waitsChannel(robot)],
    )) as [string?, string?];
    return number === undefined ? null : { number: Number(number), ended: ended !== '' };
  }

  /**
   * Starts a wait's time: its picture is on the screen. Arming again (after the robot moved or restarted) keeps the deadline.
   * @returns null when it is settled or gone: then its picture must go
   */
  async arm(
    robot: string,
    session: string,
    record: WaitRecord,
    at: { bootId: string; ms: number | null; seq: number },
  ): Promise<Armed | 'lost' | null> {
    const [result, armed] = (await this.#connections.script(
      'waitArm',
      [robotKeys.lease(robot), robotKeys.wait(robot, record.number)],
      [
        session,
        at.bootId,
        at.ms ?? '',
        at.seq,
        record.timeoutMs,
        this.#connections.publishCommand,
        robotKeys.waitsChannel(robot),
        record.number,
        record.keptMs ?? keptMs,
      ],
    )) as [string, string?];
    if (result === 'armed') return this.#connections.forms.read<Armed>('wait_armed', armed!);
    return result === 'lost' ? 'lost' : null;
  }

  /**
   * Ends a wait if nobody did before. With `input`, the input's mark advances in the same step, so that the touch is an answer or an event, once.
   * @param by the session that holds the robot, or null for a gateway
   * @param robotAway whether the caller found the robot away, by the heartbeat of its instance
   * @throws {StoreError} when Redis does not answer; repeat it: a second call answers `late` or `old` with the truth
   */
  async settle(
    robot: string,
    number: number,
    outcome: WaitOutcome,
    by: string | null,
    input?: { bootId: string; seq: number; safeSeq: number },
    robotAway = false,
  ): Promise<Settled> {
    const keys = [robotKeys.lease(robot), robotKeys.wait(robot, number), robotKeys.waitHead(robot), robotKeys.log(robot)];
    const [result, existing] = (await this.#connections.script('waitSettle', keys, [
      by ?? '',
      number,
      JSON.stringify(outcome),
      this.#connections.publishCommand,
      robotKeys.waitsChannel(robot),
      input?.bootId ?? '',
      input?.seq ?? '',
      input?.safeSeq ?? '',
      robotAway ? '1' : '',
    ])) as [string, string?];
    if (result === 'settled') return { settled: true };
    if (result === 'late') return { settled: false, why: 'late', outcome: existing ? this.#outcome(existing) : null };
    return { settled: false, why: result as 'old' | 'lost' };
  }

  /** A wait as it stands; null when its key is gone. */
  async read(robot: string, number: number): Promise<StoredWait | null> {
    const [record, armed, outcome, openedAt, ended] = await guarded(() =>
      this.#connections.commands.hmget(robotKeys.wait(robot, number), 'record', 'armed', 'outcome', 'opened_at', 'ended'),
    );
    if (!record) return null;
    const { forms } = this.#connections;
    const state = { record: forms.read<WaitRecord>('wait_record', record), armed: armed ? forms.read<Armed>('wait_armed', armed) : null };
    if (state.record === null || (armed && state.armed === null)) return null;
    return {
      record: state.record,
      armed: state.armed,
      outcome: outcome ? this.#outcome(outcome) : null,
      robotAway: ended ? wasAway(Number(openedAt ?? 0), ended) : false,
    };
  }

  /** A wait with an outcome is over, also where this release cannot read how it ended. */
  #outcome(text: string): WaitOutcome {
    return this.#connections.forms.read<WaitOutcome>('wait_outcome', text) ?? unreadableOutcome;
  }

  /** Calls `wake` with the number of each wait of the robot that is armed or settled from now on, and with null when some may have been missed: then read. */
  subscribe(robot: string, wake: (number: number | null) => void): Promise<() => void> {
    return this.#connections.subscriber.subscribe(robotKeys.waitsChannel(robot), (message) => wake(message === null ? null : Number(message)));
  }
}

const unreadableOutcome: WaitOutcome = {
  outcome: 'failed',
  code: 'outcome_unknown',
  error: 'The question was ended by another release of the service, whose answer this one cannot read.',
};

/** @param ended what the script that ended the wait wrote: its time, the lease's state, since and back_at, and '1' where a gateway found the robot away */
function wasAway(openedAt: number, ended: string): boolean {
  const [endedAt, state, since, backAt, foundAway] = ended.split(' ');
  if (foundAway === '1' || state === 'away' || Number(backAt) > openedAt) return true;
  return state === 'moving' && Number(endedAt) - Number(since) > beatLateMs;
}
