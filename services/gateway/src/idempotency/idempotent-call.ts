/** At the gateway with the claim. Taken over from a dead gateway, it is *recalled*: its action runs with the kept replies, and sends nothing. */
import { ApiError, type CallOutcome, type CallStep, type ErrorCode, type ToLink } from '@perch/schema';
import { StoreError, type Store } from '@perch/store';
import { answerWithinMs } from '../calls/deadlines.js';
import { asApiError, ClientGone, type TakenOver } from '../calls/failures.js';
import type { CommandReply, RecordedEffects } from '../calls/recorded-effects.js';

export interface IdempotentCallOptions {
  store: Pick<Store, 'calls' | 'clock' | 'linkMailbox'>;
  robot: string;
  name: string;
  claim: string;
  recalled: boolean;
  /** Redis time at which the call began, at this or another gateway, ms. */
  begunAt: number;
  /** As `CallStep.answer`; null: the ack of a command does not end the call. */
  acked: readonly string[] | null;
  /** Begins the call and publishes its first command; null: it has begun. */
  begin: Publish | null;
}

/** As `Mailbox.send`. */
export type Publish = (link: string, message: ToLink) => Promise<number | null>;

const pollMs = 250;
/** More than the commands of one part. */
const partSteps = 100;
/** Replies, and nack codes, of a command that did not reach the robot or that it will not begin. */
const notSent: ReadonlySet<CommandReply['t']> = new Set(['not_here', 'media_missing']);
const notBegunCodes: ReadonlySet<ErrorCode> = new Set(['robot_busy', 'service_unavailable']);
/** Errors that concern one request or one instance only. Other requests waiting for the same call are not given them, but try themselves. */
const localCodes: ReadonlySet<ErrorCode> = new Set(['rate_limited', 'draining']);

export class IdempotentCall implements RecordedEffects {
  readonly robot: string;
  readonly name: string;
  readonly claim: string;
  readonly recalled: boolean;
  readonly #store: IdempotentCallOptions['store'];
  readonly #begunAt: number;
  readonly #acked: readonly string[] | null;
  #begin: Publish | null;
  #abort: AbortController | null = null;
  #ended: ClientGone | TakenOver | null = null;
  #steps = 0;
  #stored = false;
  /** Whether the call may have had an effect: a command may have reached the robot, or something else was done. */
  #acted = false;
  #waiting = false;
  /** Whether, for a recalled call, anything kept in Redis shows its outcome. */
  #recollected = false;

  constructor({ store, robot, name, claim, recalled, begunAt, acked, begin }: IdempotentCallOptions) {
    this.#store = store;
    this.robot = robot;
    this.name = name;
    this.claim = claim;
    this.recalled = recalled;
    this.#begunAt = begunAt;
    this.#acked = acked;
    this.#begin = begin;
  }

  /** Created on first use, as that of the exchange. */
  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    if (this.#ended !== null) this.#abort.abort(this.#ended);
    return this.#abort.signal;
  }

  end(reason: ClientGone | TakenOver): void {
    this.#ended ??= reason;
    this.#abort?.abort(reason);
  }

  command(send: (step: CallStep) => Promise<CommandReply>): Promise<CommandReply> {
    return this.#command(this.#steps++, send);
  }

  publish(link: string, message: ToLink): Promise<number | null> {
    const begin = this.#begin;
    if (begin === null) return this.#store.linkMailbox.send(link, message);
    this.#begin = null;
    return begin(link, message);
  }

  part(index: number): RecordedEffects {
    let steps = (index + 1) * partSteps;
    return {
      name: this.name,
      claim: this.claim,
      signal: this.signal,
      command: (send) => this.#command(steps++, send),
      publish: (link, message) => this.publish(link, message),
      openedWait: () => this.openedWait(),
      waitBegins: () => this.waitBegins(),
      waitEnded: () => this.waitEnded(),
      markActed: () => this.markActed(),
      part: (inner) => this.part(index + inner),
    };
  }

  async #command(at: number, send: (step: CallStep) => Promise<CommandReply>): Promise<CommandReply> {
    const step: CallStep = this.#acked === null ? { call: this.name, at } : { call: this.name, at, answer: this.#acked };
    const reply = this.recalled ? await this.#recalledReply(step) : await send(step);
    this.#noteReply(reply);
    if (reply.t !== 'late' || this.recalled) return reply;
    // The message with the reply may have been lost between robot-link and gateway.
    const state = await this.#store.calls.read(this.robot, this.name).catch(() => null);
    return state?.replies.get(step.at) ?? reply;
  }

  /** A gateway that died cannot open a wait later, without its claim. */
  async openedWait(): Promise<number | null> {
    if (!this.recalled) return null;
    const state = await this.#store.calls.read(this.robot, this.name);
    this.#recollected = true;
    return state?.wait ?? null;
  }

  waitBegins(): void {
    this.#waiting = true;
  }

  waitEnded(): void {
    this.#waiting = false;
    this.#recollected = true;
  }

  markActed(): void {
    this.#acted = true;
  }

  /** Whether the robot-link has stored the answer as the outcome of the call. */
  get isStored(): boolean {
    return this.#stored;
  }

  #noteReply(reply: CommandReply): void {
    if (reply.t === 'ack' && reply.ended === true) this.#stored = true;
    if (reply.t === 'nack' ? !notBegunCodes.has(reply.code) : !notSent.has(reply.t)) this.#acted = true;
  }

  /** Returns the robot's reply to a command of the dead gateway, waiting for it as long as an ack can still arrive. */
  async #recalledReply({ at }: CallStep): Promise<CommandReply> {
    let reply: CommandReply | undefined;
    do {
      const state = await this.#store.calls.read(this.robot, this.name);
      reply = state?.replies.get(at);
      if (reply === undefined) await new Promise((resolve) => setTimeout(resolve, pollMs));
    } while (reply === undefined && this.#store.clock.now() < this.#begunAt + answerWithinMs);
    this.#recollected = true;
    return reply ?? { t: 'late' };
  }

  /** `outcome` to store, null: no effect, the call is forgotten, and `refusal` (unless null) goes to the requests that wait for it. */
  failed(cause: unknown): { error: unknown; outcome: CallOutcome | null; refusal: CallOutcome | null } {
    const lost = this.recalled && !this.#recollected;
    if (!lost && !this.#acted && !this.#waiting) {
      const isLocal = cause instanceof ClientGone || (cause instanceof ApiError && localCodes.has(cause.code));
      return { error: cause, outcome: null, refusal: isLocal ? null : outcomeOf(cause) };
    }
    const certain = !lost && !this.#waiting && !(cause instanceof StoreError || cause instanceof ClientGone);
    const error = certain ? cause : outcomeUnknown(cause);
    return { error, outcome: outcomeOf(error), refusal: null };
  }
}

function outcomeOf(error: unknown): CallOutcome {
  const { code, message, field, results } = asApiError(error);
  const more = {
    ...(field === undefined ? {} : { field }),
    ...(results === undefined ? {} : { results: [...results] as Record<string, unknown>[] }),
  };
  return { failure: { code, error: message, ...more } };
}

export function outcomeUnknown(cause?: unknown): ApiError {
  return new ApiError('outcome_unknown', 'The call was interrupted. Its outcome is unknown, and it is not executed again under this key.', {
    cause,
  });
}
