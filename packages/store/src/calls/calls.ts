import { limits, type CallOutcome, type CallStep, type ToGateway } from '@perch/schema';
import { storedPlaces, type AccountStorage } from '../accounts/account-storage.js';
import { StoreError } from '../errors.js';
import { guarded } from '../redis/guarded.js';
import { robotKeys } from '../keys.js';
import type { Connections } from '../redis/connections.js';

export const callKeptMs = limits.idempotency.keptS * 1000;
/** The longest call, plus the time that a wait's outcome can be read. */
const runningTtlMs = callKeptMs + 300_000;

export const callBytesMax = 16 * 2 ** 20;
const usualBytes = 512;
const overheadBytes = 300;

export type BeginResult =
  /** The caller must execute the call. `adopted`: another gateway began it and died; commands it sent must not be sent again. */
  | { state: 'begun' | 'adopted'; begunAt: number }
  | { state: 'running'; claim: string; gateway: string; begunAt: number }
  | { state: 'ended'; outcome: CallOutcome }
  | { state: 'other' };

export interface Claim {
  fingerprint: string;
  claim: string;
  gateway: string;
}

export interface CallState {
  claim: string;
  /** Redis time in ms of the latest request for it by another caller than the one that began it; 0: none. */
  wantedAt: number;
  wait: number | null;
  replies: ReadonlyMap<number, ToGateway>;
}

/**
 * Calls under an Idempotency-Key: each is executed once, and its outcome is returned to every gateway for ten minutes.
 * - `begin` records the call before anything is sent. Of all concurrent callers one gets `begun` and executes it; the others get `running`.
 * - The same key with another action or other arguments gets `other`.
 * - Only the gateway with the claim writes the outcome, once; after losing the claim it gets false from `end`.
 * - If that gateway dies, another adopts its claim with `resume`, and must not resend: robot-links keep the robot's replies in the record.
 * - The record lies with the robot, so that opening a wait adds its number to the record in the same step.
 * - A running call's record expires after 15 minutes, an outcome after 10.
 * - All calls of a robot take at most 16 MB. An outcome that does not fit is stored as `outcome_unknown`; the call is not repeated.
 * - Notifications are hints. All methods throw StoreError when Redis does not answer; `end` may be repeated, `begin` may have begun the call.
 */
export class Calls {
  readonly #connections: Connections;
  readonly #storage: AccountStorage;

  constructor(connections: Connections, storage: AccountStorage) {
    this.#connections = connections;
    this.#storage = storage;
  }

  /** Begins a call, or returns its state and records that it is wanted. A robot's full account begins none. An error may mean that it has begun. */
  async begin(robot: string, name: string, claim: Claim, account = ''): Promise<BeginResult> {
    const [reserved, begun] = await Promise.allSettled([this.#enter(robot, name, account), this.resume(robot, name, claim)]);
    if (begun.status === 'rejected') throw begun.reason;
    if (reserved.status === 'fulfilled' || begun.value.state !== 'begun') return begun.value;
    await this.end(robot, name, claim.claim, null);
    throw reserved.reason;
  }

  /** Like `begin`, for a call whose bytes are reserved. @param adopt claim of a dead gateway, to take the call over */
  async resume(robot: string, name: string, { fingerprint, claim, gateway }: Claim, adopt = ''): Promise<BeginResult> {
    const reply = await this.#connections.script('callBegin', [robotKeys.call(robot, name)], [fingerprint, claim, gateway, runningTtlMs, adopt]);
    switch (reply[0]) {
      case 'ended':
        return { state: 'ended', outcome: this.#connections.forms.read<CallOutcome>('call_outcome', reply[1]) ?? unreadableOutcome };
      case 'running':
        return { state: 'running', claim: reply[1], gateway: reply[2], begunAt: Number(reply[3]) };
      case 'begun':
      case 'adopted':
        return { state: reply[0], begunAt: Number(reply[1]) };
      case 'other':
        return { state: 'other' };
    }
  }

  /** A null outcome deletes the record, so that its key can be used again; waiting callers get `refusal`. Returns false once another claim has it. */
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

  async keepReply(robot: string, { call, at }: CallStep, reply: ToGateway): Promise<boolean> {
    return (await this.#connections.script('callReply', [robotKeys.call(robot, call)], [at, JSON.stringify(reply)])) === 1;
  }

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

  /** Calls `wake` when the call ends, with the refusal that deleted it, if any; also when that may have been missed: then resume. */
  subscribe(robot: string, name: string, wake: (refusal: CallOutcome | null) => void): Promise<() => void> {
    return this.#connections.subscriber.subscribe(robotKeys.callsChannel(robot), (message) => {
      if (message === null || message === name) wake(null);
      else if (message.startsWith(`${name} `)) wake(this.#connections.forms.read<CallOutcome>('call_outcome', message.slice(name.length + 1)));
    });
  }

  async #kept(robot: string, name: string, outcome: string): Promise<string> {
    const bytes = overheadBytes + Buffer.byteLength(outcome);
    if (bytes <= usualBytes) return outcome;
    try {
      // A quota entry of its own, because a repeated request for the call enters the usual one anew.
      await this.#reserve(robot, `${name}:outcome`, bytes, callKeptMs);
      return outcome;
    } catch (error) {
      if (!(error instanceof StoreError) || error.kind !== 'full') throw error;
      const failure = { code: 'outcome_unknown', error: 'The call was answered, but there was no room to store the answer.' } as const;
      return JSON.stringify({ failure } satisfies CallOutcome);
    }
  }

  async #enter(robot: string, name: string, account: string): Promise<void> {
    if (account !== '') this.#storage.requireRoom(account);
    const total = await this.#reserve(robot, name, usualBytes, runningTtlMs);
    if (account !== '') this.#storage.note(account, storedPlaces.calls(robot), total, runningTtlMs);
  }

  async #reserve(robot: string, name: string, bytes: number, ttlMs: number): Promise<number> {
    const keys = [robotKeys.callQuota(robot), robotKeys.callQuotaBytes(robot)] as const;
    const total = await this.#connections.script('quotaReserve', keys, [name, bytes, ttlMs, callBytesMax]);
    if (total > 0) return total;
    throw new StoreError('full', `The robot's calls with an Idempotency-Key of the last minutes have reached ${callBytesMax / 2 ** 20} MB.`);
  }
}

const replyField = 'reply:';

const unreadableOutcome: CallOutcome = {
  failure: { code: 'outcome_unknown', error: 'The call was answered by another release of the service, in a form that this release cannot read.' },
};
