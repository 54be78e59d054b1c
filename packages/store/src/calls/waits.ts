import { limits, type Armed, type DetachedWait, type WaitOutcome, type WaitRecord, type WaitState } from '@perch/schema';
import { guarded } from '../redis/errors.js';
import { robotKeys } from '../redis/keys.js';
import type { WrittenMessage } from '../messaging/messaging.js';
import type { Connections } from '../redis/connections.js';
import { movingMaxMs } from '../instances/instances.js';
import type { Forms } from '../redis/formats.js';

/** Maximum time from opening a wait until its picture is on the screen. */
export const armWithinMs = 10_000;
/** Time after the deadline for which the outcome can be read, unless the record says otherwise. */
const keptMs = 60_000;
const { answer } = limits;
const detachedKeptMs = limits.wait.detachedKeptS * 1000;

export type SettleResult =
  | { settled: true }
  /** `late`: it had ended (`outcome` null if its key has expired). `old`: the input was stored before. `lost`: another session holds the robot. */
  | { settled: false; why: 'late'; outcome: WaitOutcome | null }
  | { settled: false; why: 'old' | 'lost' };

/** The call under an Idempotency-Key that opens a wait. */
interface Claimed {
  name: string;
  claim: string;
}

export interface StoredWait extends WaitState {
  /** The robot was away, or restarted, between opening and end of the wait; false while it is open. */
  robotAway: boolean;
  /** Absent: the wait ends with its call. */
  detached?: DetachedWait;
  /** In the queue of the robot: its turn has not come, or did not. */
  queued?: true;
}

/**
 * Waits: at most one ask, menu or clickmap is open on a robot.
 * - `number` orders waits by the arrival of their calls. Opening one ends the open one as replaced; then one with a lower number never opens.
 * - A wait has one outcome, written by whichever settles it first: answer, time-out, newer wait, stop or disconnected client. Later ones get `late`.
 * - An answering touch advances the robot's input mark in the same step, so that it is either an answer or an event, once.
 * - The time-out starts when the wait is armed, which must happen within 10 s of opening. Arming again keeps the deadline.
 * - A wait of a call under an Idempotency-Key opens only for the gateway that has the call's claim.
 * - The outcome stays readable by every gateway until 60 s after the deadline, or for as long as the record says; that of a detached wait, an hour.
 * - A detached wait outlives its call; the call may detach it at any time, also after its end.
 * - Notifications are hints, also where they have the stored state: after one without it, and after a null, read the wait.
 * - All methods throw StoreError when Redis does not answer; `arm` and `settle` may be repeated.
 */
export class Waits {
  /** On a Cluster the robot-link's channel lies on another node than the wait. */
  readonly canOpenWithMessage: boolean;
  readonly #connections: Connections;
  readonly #detachedEnded: (robot: string, number: number) => void;

  /** @param detachedEnded called with a wait that outlives its call, as this instance ends it */
  constructor(connections: Connections, detachedEnded: (robot: string, number: number) => void = () => {}) {
    this.canOpenWithMessage = !connections.isCluster;
    this.#connections = connections;
    this.#detachedEnded = detachedEnded;
  }

  /** Called when a call arrives with valid arguments; opens and ends nothing. @returns null when the robot no longer exists */
  async number(robot: string): Promise<number | null> {
    const [number] = await this.#connections.script('waitNumber', waitNumberKeys(robot), [0, drawnWithinMs]);
    return number === undefined ? null : Number(number);
  }

  /** Call it if a wait that `Leases.findNumbered` numbered does not open: the robot's queue waits for it no longer. */
  async dropped(robot: string, number: number): Promise<void> {
    await guarded(() => this.#connections.commands.zrem(robotKeys.drawnWaits(robot), number));
  }

  /**
   * The record of the call `by` names the wait from then on. False: a higher number was opened before (replaced). `lost`: `by` was taken over.
   * @param held lets the wait be read while its call is open; `detach` lets it outlive the call
   */
  async open(robot: string, record: WaitRecord, by: Claimed | null = null, held: DetachedWait | null = null): Promise<boolean | 'lost'> {
    return (await this.#open(robot, record, by, held, null)).opened;
  }

  /** As `open`; if the wait opens, the message is published in the same step. An error may mean that both have happened. */
  openWith(
    robot: string,
    record: WaitRecord,
    by: Claimed | null,
    held: DetachedWait | null,
    message: WrittenMessage,
  ): Promise<{ opened: boolean | 'lost'; receivers: number }> {
    return this.#open(robot, record, by, held, message);
  }

  async #open(
    robot: string,
    record: WaitRecord,
    by: Claimed | null,
    held: DetachedWait | null,
    message: WrittenMessage | null,
  ): Promise<{ opened: boolean | 'lost'; receivers: number }> {
    const replaced: WaitOutcome = { outcome: 'replaced' };
    const keys = [robotKeys.waitHead(robot), robotKeys.lease(robot), robotKeys.record(robot)] as const;
    const reply = await this.#connections.script('waitOpen', by === null ? keys : [...keys, robotKeys.call(robot, by.name)], [
      record.number,
      JSON.stringify(record),
      record.timeoutMs + armWithinMs + (record.keptMs ?? keptMs),
      robotKeys.wait(robot, ''),
      JSON.stringify(replaced),
      this.#connections.publishCommand,
      robotKeys.waitsChannel(robot),
      by?.claim ?? '',
      detachedKeptMs,
      message?.channel ?? '',
      message === null ? '' : message.before + message.message + message.after,
      record.consent?.by ?? '',
      answer.afterLongMs,
      answer.otherWithinMs,
      held === null ? '' : JSON.stringify(held),
    ]);
    if (reply[0] !== 'opened') return { opened: reply[0] === 'lost' ? 'lost' : false, receivers: 0 };
    if (reply[2] === 1) this.#detachedEnded(robot, Number(reply[1]));
    return { opened: true, receivers: reply[3] };
  }

  /** Ends all waits numbered so far; returns up to which number, and whether one was open. Null: the robot no longer exists. */
  async stop(robot: string): Promise<{ number: number; ended: boolean } | null> {
    const replaced: WaitOutcome = { outcome: 'replaced' };
    const reply = await this.#connections.script(
      'waitStop',
      [robotKeys.waitHead(robot), robotKeys.record(robot), robotKeys.lease(robot), robotKeys.queue(robot), robotKeys.queueEntries(robot)],
      [robotKeys.wait(robot, ''), JSON.stringify(replaced), this.#connections.publishCommand, robotKeys.waitsChannel(robot), detachedKeptMs],
    );
    if (reply[2] === 1) this.#detachedEnded(robot, Number(reply[1]));
    for (const number of reply[3] ?? []) this.#detachedEnded(robot, Number(number));
    return reply.length === 0 ? null : { number: Number(reply[0]), ended: reply[1] !== '' };
  }

  /** Returns the number of the last stop, 0 if there was none. What took a lower number before has been stopped. */
  async lastStop(robot: string): Promise<number> {
    return Number((await guarded(() => this.#connections.commands.hget(robotKeys.waitHead(robot), 'stopped'))) ?? 0);
  }

  /** Starts the time-out: the picture is on the screen. @returns null when the wait is settled or has expired: the caller then removes the picture */
  async arm(
    robot: string,
    session: string,
    record: WaitRecord,
    at: { bootId: string; ms: number | null; seq: number },
  ): Promise<Armed | 'lost' | null> {
    const reply = await this.#connections.script(
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
    );
    if (reply[0] === 'armed') return this.#connections.forms.read<Armed>('wait_armed', reply[1]);
    return reply[0] === 'lost' ? 'lost' : null;
  }

  /** `by` null: a gateway settles; `robotAway`: it found the robot away. After a StoreError, retry: returns `late` or `old` with the true outcome. */
  async settle(
    robot: string,
    number: number,
    outcome: WaitOutcome,
    by: string | null,
    input?: { bootId: string; seq: number; safeSeq: number },
    robotAway = false,
  ): Promise<SettleResult> {
    const keys = [robotKeys.lease(robot), robotKeys.wait(robot, number), robotKeys.waitHead(robot), robotKeys.log(robot)] as const;
    const reply = await this.#connections.script('waitSettle', keys, [
      by ?? '',
      number,
      JSON.stringify(outcome),
      this.#connections.publishCommand,
      robotKeys.waitsChannel(robot),
      input?.bootId ?? '',
      input?.seq ?? '',
      input?.safeSeq ?? '',
      robotAway ? '1' : '',
      detachedKeptMs,
    ]);
    if (reply[0] === 'settled') {
      if (reply[1] === 1) this.#detachedEnded(robot, number);
      return { settled: true };
    }
    if (reply[0] === 'late') return { settled: false, why: 'late', outcome: reply[1] === '' ? null : this.#outcome(reply[1]) };
    return { settled: false, why: reply[0] };
  }

  /** Lets the wait outlive its call. @returns what is kept, which may be of an earlier call; null: its record has expired. May be repeated */
  async detach(
    robot: string,
    { number, timeoutMs }: WaitRecord,
    detached: DetachedWait,
  ): Promise<{ state: 'open' | 'ended'; detached: DetachedWait } | null> {
    const [state, kept] = await this.#connections.script(
      'waitDetach',
      [robotKeys.wait(robot, number), robotKeys.detachedWaits(robot), robotKeys.waitHead(robot)],
      [
        number,
        JSON.stringify(detached),
        timeoutMs + armWithinMs + detachedKeptMs,
        detachedKeptMs,
        limits.wait.detachedKept,
        robotKeys.wait(robot, ''),
        JSON.stringify(heldOf(detached)),
      ],
    );
    if (state === 'gone') return null;
    return { state, detached: this.#connections.forms.read<DetachedWait>('wait_detached', kept) ?? detached };
  }

  /** Deletes a detached wait that has ended, with its outcome. */
  async forget(robot: string, number: number): Promise<void> {
    const { commands } = this.#connections;
    await guarded(() => Promise.all([commands.unlink(robotKeys.wait(robot, number)), commands.zrem(robotKeys.detachedWaits(robot), String(number))]));
  }

  /** Returns the numbers of the robot's detached waits that are kept, oldest first. */
  async detachedNumbers(robot: string): Promise<number[]> {
    return (await guarded(() => this.#connections.commands.zrange(robotKeys.detachedWaits(robot), '0', '-1'))).map(Number);
  }

  /** A question of the queue that has opened is read under the number of the wait that it became. */
  async read(robot: string, number: number): Promise<StoredWait | null> {
    const [record, armed, outcome, openedAt, ended, detached, queued, became, opened] = await guarded(() =>
      this.#connections.commands.hmget(robotKeys.wait(robot, number), ...readFields),
    );
    if (!record) return null;
    const { forms } = this.#connections;
    const state = { record: forms.read<WaitRecord>('wait_record', record), armed: armed ? forms.read<Armed>('wait_armed', armed) : null };
    if (state.record === null || (armed && state.armed === null)) return null;
    const kept = detached ? forms.read<DetachedWait>('wait_detached', detached) : null;
    if (queued && became && !outcome) {
      const wait = await this.read(robot, Number(became));
      if (wait !== null || opened) return wait === null || kept === null ? null : { ...wait, detached: kept };
    }
    return {
      record: state.record,
      armed: state.armed,
      outcome: outcome ? this.#outcome(outcome) : null,
      robotAway: ended ? wasAway(Number(openedAt ?? 0), ended) : false,
      ...(kept === null ? null : { detached: kept }),
      ...(queued ? { queued: true } : null),
    };
  }

  /** A wait is over also when this release cannot read how it ended. */
  #outcome(text: string): WaitOutcome {
    return this.#connections.forms.read<WaitOutcome>('wait_outcome', text) ?? unreadableOutcome;
  }

  /**
   * Calls `wake` with the number of each wait that is armed or settled, and of each stop, and with null when some may have been missed. `news` null: read.
   */
  subscribe(robot: string, wake: (number: number | null, news: WaitNews | null) => void): Promise<() => void> {
    let reported: number | null = null;
    return this.#connections.subscriber.subscribe(robotKeys.waitsChannel(robot), (message) => {
      const [head = '', ...rest] = message?.split(' ') ?? [];
      const number = message === null ? null : Number(head);
      if (rest.length > 0) {
        const news = newsOf(this.#connections.forms, rest.join(' '));
        // The number alone follows, for what this release cannot read.
        if (news === null) return;
        reported = number;
        wake(number, news);
      } else if (number !== null && number === reported) reported = null;
      else {
        reported = null;
        wake(number, null);
      }
    });
  }
}

/** Returns what `open` keeps of a wait that its call may detach later. */
export function heldOf(detached: DetachedWait): DetachedWait {
  return { ...detached, held: true };
}

const readFields = ['record', 'armed', 'outcome', 'opened_at', 'ended', 'detached', 'queued', 'became', 'opened'] as const;

const unreadableOutcome: WaitOutcome = {
  outcome: 'failed',
  code: 'outcome_unknown',
  error: 'The question was ended by another release of the service, in a form that this release cannot read.',
};

// Reads what the scripts of waits publish and store about the end of a wait.

/** The stored change that a message reports; `robotAway` as in `StoredWait`. */
export type WaitNews = { armed: Armed } | { outcome: WaitOutcome; robotAway: boolean };

/** Returns null for what this release cannot read. */
function newsOf(forms: Forms, text: string): WaitNews | null {
  const { armed, outcome, opened_at: openedAt = 0, ended } = parsedNews(text);
  if (armed !== undefined) return forms.fits('wait_armed', armed) && typeof armed.deadline === 'number' ? { armed } : null;
  if (outcome === undefined || typeof ended !== 'string' || !forms.fits('wait_outcome', outcome)) return null;
  return { outcome, robotAway: wasAway(openedAt, ended) };
}

function parsedNews(text: string): { armed?: Armed; outcome?: WaitOutcome; opened_at?: number; ended?: string } {
  try {
    return (JSON.parse(text) as object | null) ?? {};
  } catch {
    return {};
  }
}

/** @param ended by wait-settle.lua: the wait's end, the lease's state, since and back_at, and '1' when a gateway found the robot away */
function wasAway(openedAt: number, ended: string): boolean {
  const [endedAt, state, since, backAt, foundAway] = ended.split(' ');
  if (foundAway === '1' || state === 'away' || Number(backAt) > openedAt) return true;
  return state === 'moving' && Number(endedAt) - Number(since) > movingMaxMs;
}

/** How long the robot's queue waits for a question outside it, from its call to its opening, ms. */
export const drawnWithinMs = 15_000;

/** Returns the keys of the script `wait-number`. */
export function waitNumberKeys(robot: string): readonly [waitHead: string, record: string, lease: string, drawnWaits: string] {
  return [robotKeys.waitHead(robot), robotKeys.record(robot), robotKeys.lease(robot), robotKeys.drawnWaits(robot)];
}
