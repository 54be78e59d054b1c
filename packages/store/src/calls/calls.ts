import { limits, type CallOutcome, type CallStep, type ToGateway, type ToLink } from '@perch/schema';
import { storedPlaces, type AccountStorage } from '../accounts/account-storage.js';
import { StoreError, guarded } from '../redis/errors.js';
import { robotKeys } from '../redis/keys.js';
import type { GatewayMailbox, LinkMailbox, WrittenMessage } from '../messaging/messaging.js';
import { JoinedScript } from '../redis/batching.js';
import type { Connections } from '../redis/connections.js';

export const callKeptMs = limits.idempotency.keptS * 1000;
/** The longest call, plus the time that a wait's outcome can be read. */
const runningTtlMs = callKeptMs + 300_000;

export const callBytesMax = 16 * 2 ** 20;
/** Counted for each call that begins: its record with a short outcome. */
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

/**
 * `ended`: stored, and with it the outcome of the call. `acked`: that, and the gateway received the ack, which says so.
 * `over`: not stored, the call was deleted or has ended.
 */
type ReplyKept = 'acked' | 'ended' | 'kept' | 'over';

type Ack = Extract<ToGateway, { t: 'ack' }>;

/** An ack that a gateway waits for. */
interface AwaitedAck {
  gateway: string;
  ack: Ack;
}

interface Beginning extends Claim {
  robot: string;
  name: string;
  /** Claim of a dead gateway, to take the call over; '': none. */
  adopt: string;
  hasRoom: boolean;
  /** Null: no command is published with the call. */
  command: WrittenMessage | null;
}

/** `receivers`: how many robot-links received the command, if the call has begun; null: unknown. */
export interface CommandedBegin {
  found: BeginResult;
  receivers: number | null;
}

interface KeptReply {
  robot: string;
  step: CallStep;
  reply: string;
  /** '': the reply is not the outcome. */
  outcome: string;
  /** Null: the ack is not published with the outcome. */
  ack: WrittenMessage | null;
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
 * - The robot-link stores the outcome of a call of one command with the robot's ack (`CallStep.answer`); then `end` changes nothing.
 * - The record lies with the robot, so that opening a wait adds its number to the record in the same step.
 * - A running call's record expires after 15 minutes, an outcome after 10.
 * - All calls of a robot take at most 16 MB. An outcome that does not fit is stored as `outcome_unknown`; the call is not repeated.
 * - Notifications are hints. All methods throw StoreError when Redis does not answer; `end` may be repeated, `begin` may have begun the call.
 */
export class Calls {
  /** On a Cluster, the channel of a robot-link lies on another node than the call. */
  readonly canBeginWithCommand: boolean;
  readonly #connections: Connections;
  readonly #storage: AccountStorage;
  readonly #mailboxes: Mailboxes;
  readonly #begins: JoinedScript<Beginning, string>;
  readonly #replies: JoinedScript<KeptReply, ReplyKept>;

  constructor(connections: Connections, storage: AccountStorage, mailboxes: Mailboxes) {
    this.canBeginWithCommand = !connections.isCluster;
    this.#connections = connections;
    this.#storage = storage;
    this.#mailboxes = mailboxes;
    this.#begins = new JoinedScript(connections, (calls) => this.#beginAll(calls));
    this.#replies = new JoinedScript(connections, (replies) => this.#keepAll(replies));
  }

  /** Begins a call, or returns its state and records that it is wanted. A robot's full account begins none. An error may mean that it has begun. */
  async begin(robot: string, name: string, claim: Claim, account = ''): Promise<BeginResult> {
    return (await this.#begin(robot, name, claim, account, null)).found;
  }

  /** As `begin`; if the call begins, its first command is published at once. An error may mean that both have happened. */
  async beginWith(robot: string, name: string, claim: Claim, account: string, link: string, command: ToLink): Promise<CommandedBegin> {
    const { links } = this.#mailboxes;
    const begun = await this.#begin(robot, name, claim, account, links.written(link, command));
    if (begun.found.state === 'begun' && begun.receivers === 0) links.missed(link);
    return begun;
  }

  async #begin(robot: string, name: string, claim: Claim, account: string, command: WrittenMessage | null): Promise<CommandedBegin> {
    const hasRoom = account === '' || !this.#storage.isFull(account);
    const { fingerprint, claim: ours, gateway } = claim;
    const [state, rest] = split(await this.#begins.ask({ robot, name, fingerprint, claim: ours, gateway, adopt: '', hasRoom, command }));
    if (state === 'full' && !hasRoom) throw this.#storage.full();
    if (state !== 'begun') return { found: this.#found(state, rest), receivers: 0 };
    const [begunAt, bytes, receivers = 0] = rest.split(' ', 3);
    if (account !== '') this.#storage.note(account, storedPlaces.calls(robot), Number(bytes), runningTtlMs);
    return { found: { state, begunAt: Number(begunAt) }, receivers: this.#connections.receiversOf(Number(receivers)) };
  }

  /** Like `begin`, for a call that was found running. @param adopt claim of a dead gateway, to take the call over */
  async resume(robot: string, name: string, claim: Claim, adopt = ''): Promise<BeginResult> {
    return this.#found(...split(await this.#begins.ask({ robot, name, ...claim, adopt, hasRoom: true, command: null })));
  }

  /** A null outcome deletes the record, so that its key can be used again; waiting callers get `refusal`. Returns false once another claim has it. */
  async end(robot: string, name: string, claim: string, outcome: CallOutcome | null, refusal: CallOutcome | null = null): Promise<boolean> {
    const text = outcome === null ? '' : JSON.stringify(outcome);
    const moreBytes = Math.max(0, overheadBytes + Buffer.byteLength(text) - usualBytes);
    const written = await this.#connections.script(
      'callEnd',
      [robotKeys.call(robot, name), robotKeys.callBytes(robot)],
      [
        claim,
        text,
        callKeptMs,
        this.#connections.publishCommand,
        robotKeys.callsChannel(robot),
        outcome === null && refusal !== null ? `${name} ${JSON.stringify(refusal)}` : name,
        moreBytes,
        callBytesMax,
        moreBytes > 0 ? noRoomOutcome : '',
      ],
    );
    return written === 1;
  }

  /** @param awaited published by the script that stores the outcome, on a single Redis */
  keepReply(robot: string, step: CallStep, reply: ToGateway, awaited: AwaitedAck | null = null): Promise<ReplyKept> {
    const text = JSON.stringify(reply);
    let outcome = '';
    if (step.answer !== undefined && reply.t === 'ack') {
      outcome = JSON.stringify({ answer: answerOfAck(step.answer, reply.result) } satisfies CallOutcome);
      // Both are kept as long as the outcome. A longer one is left to `end`, which counts it.
      if (overheadBytes + Buffer.byteLength(text) + Buffer.byteLength(outcome) > usualBytes) outcome = '';
    }
    const published = awaited !== null && outcome !== '' && !this.#connections.isCluster;
    const ack = published ? this.#mailboxes.gateways.written(awaited.gateway, { ...awaited.ack, ended: true }) : null;
    return this.#replies.ask({ robot, step, reply: text, outcome, ack });
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

  #found(state: string, rest: string): BeginResult {
    switch (state) {
      case 'ended':
        return { state, outcome: this.#connections.forms.read<CallOutcome>('call_outcome', rest) ?? unreadableOutcome };
      case 'running': {
        const [claim = '', gateway = '', begunAt] = rest.split(' ');
        return { state, claim, gateway, begunAt: Number(begunAt) };
      }
      case 'begun':
      case 'adopted':
        return { state, begunAt: Number(split(rest)[0]) };
      case 'full':
        throw new StoreError('full', `The robot's calls with an Idempotency-Key of the last minutes have reached ${callBytesMax / 2 ** 20} MB.`);
      default:
        return { state: 'other' };
    }
  }

  #beginAll(calls: readonly Beginning[]): Promise<string[]> {
    const keys: string[] = [];
    const batches: WrittenMessage[] = [];
    const args: string[] = [];
    for (const { robot, name, fingerprint, claim, gateway, adopt, hasRoom, command } of calls) {
      keys.push(robotKeys.call(robot, name), robotKeys.callBytes(robot));
      const batch = command === null ? 0 : batchOf(batches, command);
      args.push(`${fingerprint} ${claim} ${gateway} ${adopt} ${hasRoom ? 1 : 0} ${batch}`, command?.message ?? '');
    }
    const limitsOfAll = [runningTtlMs, usualBytes, callBytesMax];
    return this.#connections.script('callBegin', keys, [...limitsOfAll, this.#connections.publishCommand, ...headOf(batches), ...args]);
  }

  async #keepAll(replies: readonly KeptReply[]): Promise<ReplyKept[]> {
    const keys: string[] = [];
    const batches: WrittenMessage[] = [];
    const args: (string | number)[] = [];
    for (const { robot, step, reply, outcome, ack } of replies) {
      keys.push(robotKeys.call(robot, step.call));
      args.push(step.at, reply, outcome);
      if (outcome === '') args.push('', '');
      else args.push(robotKeys.callsChannel(robot), step.call);
      if (ack === null) args.push(0, '');
      else args.push(batchOf(batches, ack), ack.message);
    }
    const kept = await this.#connections.script('callReply', keys, [callKeptMs, this.#connections.publishCommand, ...headOf(batches), ...args]);
    return kept.map((each) => keptAs[each] ?? 'over');
  }
}

/** @returns the text before and behind its first space */
function split(text: string): [string, string] {
  const at = text.indexOf(' ');
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

interface Mailboxes {
  links: Pick<LinkMailbox, 'written' | 'missed'>;
  gateways: Pick<GatewayMailbox, 'written'>;
}

function headOf(batches: readonly WrittenMessage[]): (string | number)[] {
  return [batches.length, ...batches.flatMap(({ channel, before, after }) => [channel, before, after])];
}

/** Returns the number, from 1, of the batch that a message belongs to; adds one if there is none. */
function batchOf(batches: WrittenMessage[], { channel, before, ...more }: WrittenMessage): number {
  const at = batches.findIndex((batch) => batch.channel === channel && batch.before === before);
  return at === -1 ? batches.push({ channel, before, ...more }) : at + 1;
}

const keptAs: readonly ReplyKept[] = ['over', 'kept', 'ended', 'acked'];

const replyField = 'reply:';

const unreadableOutcome: CallOutcome = {
  failure: { code: 'outcome_unknown', error: 'The call was answered by another release of the service, in a form that this release cannot read.' },
};

const noRoomOutcome = JSON.stringify({
  failure: { code: 'outcome_unknown', error: 'The call was answered, but there was no room to store the answer.' },
} satisfies CallOutcome);

/** Returns what its gateway answers a call of one command, for an action with `CallStep.answer`. @param names of numbers of the ack's result */
function answerOfAck(names: readonly string[], result: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const answer: Record<string, unknown> = { ok: true };
  for (const name of names) answer[name] = typeof result[name] === 'number' ? result[name] : null;
  return answer;
}
