/**
 * Calls under an Idempotency-Key: what became of each, for ten minutes, whichever gateway is asked and whoever died meanwhile.
 * A record says that its call is running before anything is sent; robot-links keep the robot's replies in it; its outcome is written once, by the
 * gateway that has the claim. It lies with the robot, so that what opens a wait writes to it in the same step.
 */
import { limits, type CallOutcome, type CallStep, type ToGateway } from '@perch/schema';
import { storedPlaces, type AccountStorage } from '../accounts/account-storage.js';
import { StoreError } from '../errors.js';
import { guarded } from '../redis/guarded.js';
import { robotKeys } from '../keys.js';
import type { Connections } from '../redis/connections.js';

/** How long an outcome is answered again, ms. */
export const callKeptMs = limits.idempotency.keptS * 1000;
/** For as long as any call may take, and then the outcome of a wait that nobody read, ms. */
const runningTtlMs = callKeptMs + 300_000;

/** Of one robot. */
export const callBytesMax = 16 * 2 ** 20;
/** What a record takes with an answer as most actions have it. */
const usualBytes = 512;
/** Of them, without the answer. */
const overheadBytes = 300;

export type Begun =
  /** The call is the caller's to do. `adopted`: another gateway began it and died; what it sent must not be sent again. */
  | { state: 'begun' | 'adopted'; begunAt: number }
  | { state: 'running'; claim: string; gateway: string; begunAt: number }
  | { state: 'ended'; outcome: CallOutcome }
  /** The key was used before, with another action or other arguments. */
  | { state: 'other' };

export interface Claim {
  /** Of the action and its arguments. */
  fingerprint: string;
  /** Never used twice. */
  claim: string;
  /** Instance id of the gateway that asks. */
  gateway: string;
}

/** What is known of a call that runs. */
export interface CallState {
  claim: string;
  /** Redis time in ms at which somebody last asked for it beside the one who began it; 0: nobody. */
  wantedAt: number;
  /** Number of the wait that it opened. */
  wait: number | null;
  /** By step. */
  replies: ReadonlyMap<number, ToGateway>;
}

export class Calls {
  readonly #connections: Connections;
  readonly #storage: AccountStorage;

  constructor(connections: Connections, storage: AccountStorage) {
    this.#connections = connections;
    this.#storage = storage;
  }

  /**
   * Begins a call that was not made before, or tells what became of it; who finds it running has said that it is wanted.
   * @param account of the robot: one whose storage is full begins none; '' is not bounded
   * @throws {StoreError} full; when Redis does not answer: then it may have begun
   */
  async begin(robot: string, name: string, claim: Claim, account = ''): Promise<Begun> {
    // Both leave in one go.
    const [room, begun] = await Promise.allSettled([this.#enter(robot, name, account), this.look(robot, name, claim)]);
    if (begun.status === 'rejected') throw begun.reason;
    if (room.status === 'fulfilled' || begun.value.state !== 'begun') return begun.value;
    await this.end(robot, name, claim.claim, null);
    throw room.reason;
  }

  /**
   * The same of a call that was begun before: its room is there.
   * @param adopt the claim of a gateway that died, to take it over
   */
  async look(robot: string, name: string, { fingerprint, claim, gateway }: Claim, adopt = ''): Promise<Begun> {
    const [state, first = '', second = '', third = ''] = (await this.#connections.script(
      'callBegin',
      [robotKeys.call(robot, name)],
      [fingerprint, claim, gateway, runningTtlMs, adopt],
    )) as [string, string?, string?, string?];
    switch (state) {
      case 'ended':
        return { state, outcome: this.#connections.forms.read<CallOutcome>('call_outcome', first) ?? unreadableOutcome };
      case 'running':
        return { state, claim: first, gateway: second, begunAt: Number(third) };
      case 'begun':
      case 'adopted':
        return { state, begunAt: Number(first) };
      default:
        return { state: 'other' };
    }
  }

  /**
   * Writes how the call ended, for ten minutes; null forgets it, so that the key can be used again.
   * @param refusal told to who waits for a call that is forgotten
   * @returns false when the claim is not the call's any more
   * @throws {StoreError} when Redis does not answer; repeat it
   */
  async end(robot: string, name: string, claim: string, outcome: CallOutcome | null, refusal: CallOutcome | null = null): Promise<boolean> {
    const written = await this.#connections.script(
      'callEnd',
      [robotKeys.call(robot, name)],
      [
        claim,
        outcome === null ? '' : await this.#kept(robot, name, JSON.stringify(outcome)),
        callKeptMs,
        this.#connections.publishCommand,
        robotKeys.callsChannel(robot),
        outcome === null && refusal !== null ? `${name} ${JSON.stringify(refusal)}` : name,
      ],
    );
    return written === 1;
  }

  /** Keeps the reply to a command of the call. @returns false when the call is forgotten, or over */
  async keepReply(robot: string, { call, at }: CallStep, reply: ToGateway): Promise<boolean> {
    return (await this.#connections.script('callReply', [robotKeys.call(robot, call)], [at, JSON.stringify(reply)])) === 1;
  }

  /** A call that runs; null when it is forgotten, or over. */
  async read(robot: string, name: string): Promise<CallState | null> {
    const fields = await guarded(() => this.#connections.commands.hgetall(robotKeys.call(robot, name)));
    const { claim, wanted_at: wantedAt, wait } = fields;
    if (claim === undefined) return null;
    const replies = Object.entries(fields)
      .filter(([field]) => field.startsWith(replyField))
      .flatMap(([field, json]): [number, ToGateway][] => {
        const reply = this.#connections.forms.read<ToGateway>('call_reply', json);
        return reply === null ? [] : [[Number(field.slice(replyField.length)), reply]];
      });
    return { claim, wantedAt: Number(wantedAt ?? 0), wait: wait === undefined ? null : Number(wait), replies: new Map(replies) };
  }

  /** Calls `wake` when the call ends from now on, with what refused it where it is forgotten for that; and when that may have been missed: then begin again. */
  subscribe(robot: string, name: string, wake: (refusal: CallOutcome | null) => void): Promise<() => void> {
    return this.#connections.subscriber.subscribe(robotKeys.callsChannel(robot), (message) => {
      if (message === null || message === name) wake(null);
      else if (message.startsWith(`${name} `)) wake(this.#connections.forms.read<CallOutcome>('call_outcome', message.slice(name.length + 1)));
    });
  }

  /** The outcome, if there is room for it; else that the call is over and must not be done again. */
  async #kept(robot: string, name: string, outcome: string): Promise<string> {
    const bytes = overheadBytes + Buffer.byteLength(outcome);
    if (bytes <= usualBytes) return outcome;
    try {
      // An entry of its own: who asks for the call again enters the usual one anew.
      await this.#reserve(robot, `${name}:outcome`, bytes, callKeptMs);
      return outcome;
    } catch (error) {
      if (!(error instanceof StoreError) || error.kind !== 'full') throw error;
      const failure = { code: 'outcome_unknown', error: 'It was answered, but there was no room to keep the answer.' } as const;
      return JSON.stringify({ failure } satisfies CallOutcome);
    }
  }

  async #enter(robot: string, name: string, account: string): Promise<void> {
    if (account !== '') this.#storage.requireRoom(account);
    const total = await this.#reserve(robot, name, usualBytes, runningTtlMs);
    if (account !== '') this.#storage.note(account, storedPlaces.calls(robot), total, runningTtlMs);
  }

  /** @returns bytes of all of the robot's calls */
  async #reserve(robot: string, name: string, bytes: number, ttlMs: number): Promise<number> {
    const keys = [robotKeys.callLedger(robot), robotKeys.callLedgerBytes(robot)];
    const total = (await this.#connections.script('ledgerReserve', keys, [name, bytes, ttlMs, callBytesMax])) as number;
    if (total > 0) return total;
    throw new StoreError('full', `The robot's calls with an Idempotency-Key of the last minutes have reached ${callBytesMax / 2 ** 20} MB.`);
  }
}

const replyField = 'reply:';

const unreadableOutcome: CallOutcome = {
  failure: { code: 'outcome_unknown', error: 'It was answered by another release of the service, whose answer this one cannot read.' },
};
