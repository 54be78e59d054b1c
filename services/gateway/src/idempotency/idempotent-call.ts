/**
 * A call with an Idempotency-Key at the gateway that holds its claim: tracks whether the call may have had an effect, and when it ends.
 * A call taken over from a dead gateway is *recalled*: its action runs again with the replies kept in Redis, and sends nothing.
 */
import { ApiError, type CallOutcome, type CallStep, type ErrorCode } from '@perch/schema';
import { StoreError, type Store } from '@perch/store';
import { asApiError, ClientGone } from '../http/errors.js';
import type { Reply } from '../robots/replies.js';
import { answerWithinMs } from '../robots/robot-commands.js';

export class TakenOver extends Error {
  override readonly name = 'TakenOver';
}

export interface IdempotentCallOptions {
  store: Pick<Store, 'calls' | 'clock'>;
  robot: string;
  name: string;
  claim: string;
  recalled: boolean;
  /** Redis time at which the call began, at this or another gateway, ms. */
  begunAt: number;
}

const pollMs = 250;
/** Replies, and nack codes, of a command that did not reach the robot or that it will not begin. */
const notSent: ReadonlySet<Reply['t']> = new Set(['not_here', 'media_missing', 'failed']);
const notBegunCodes: ReadonlySet<ErrorCode> = new Set(['robot_busy', 'service_unavailable']);
/** Errors that concern one request or one instance only. Other requests waiting for the same call are not given them, but try themselves. */
const localCodes: ReadonlySet<ErrorCode> = new Set(['unauthorized', 'rate_limited', 'draining']);

export class IdempotentCall {
  readonly robot: string;
  readonly name: string;
  readonly claim: string;
  readonly recalled: boolean;
  readonly #store: Pick<Store, 'calls' | 'clock'>;
  readonly #begunAt: number;
  readonly #abort = new AbortController();
  #steps = 0;
  /** Whether the call may have had an effect: a command may have reached the robot, or something else was done. */
  #acted = false;
  /** Whether a wait may be open, or its outcome unread. */
  #waiting = false;
  /** Whether, for a recalled call, anything kept in Redis tells how it ended. */
  #recollected = false;

  constructor({ store, robot, name, claim, recalled, begunAt }: IdempotentCallOptions) {
    this.#store = store;
    this.robot = robot;
    this.name = name;
    this.claim = claim;
    this.recalled = recalled;
    this.#begunAt = begunAt;
  }

  /** Aborts when no client has asked for the answer for a while, or another gateway took the call over; not when a client disconnects. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  end(reason: ClientGone | TakenOver): void {
    this.#abort.abort(reason);
  }

  nextStep(): CallStep {
    return { call: this.name, at: this.#steps++ };
  }

  noteReply(reply: Reply): void {
    if (reply.t === 'nack' ? !notBegunCodes.has(reply.code) : !notSent.has(reply.t)) this.#acted = true;
  }

  /** Records that something other than a command was done, or may have been. */
  markActed(): void {
    this.#acted = true;
  }

  /** Records that a wait is about to be opened or looked up. */
  waitBegins(): void {
    this.#waiting = true;
  }

  waitEnded(): void {
    this.#waiting = false;
    this.#recollected = true;
  }

  /** Returns the stored reply to a command of this gateway whose message was lost between robot-link and gateway; `fallback` if none is stored. */
  async keptReply({ at }: CallStep, fallback: Reply): Promise<Reply> {
    const state = await this.#store.calls.read(this.robot, this.name).catch(() => null);
    return state?.replies.get(at) ?? fallback;
  }

  /** Returns the robot's reply to a command of the dead gateway, waiting for it as long as an ack can still arrive. */
  async recallReply({ at }: CallStep): Promise<Reply> {
    let reply: Reply | undefined;
    do {
      const state = await this.#store.calls.read(this.robot, this.name);
      reply = state?.replies.get(at);
      if (reply === undefined) await new Promise((resolve) => setTimeout(resolve, pollMs));
    } while (reply === undefined && this.#store.clock.now() < this.#begunAt + answerWithinMs);
    this.#recollected = true;
    reply ??= { t: 'late' };
    this.noteReply(reply);
    return reply;
  }

  /** Returns the number of the wait that the dead gateway opened; null if it opened none. It cannot open one later without its claim. */
  async recallWait(): Promise<number | null> {
    const state = await this.#store.calls.read(this.robot, this.name);
    this.#recollected = true;
    return state?.wait ?? null;
  }

  /**
   * Evaluates a failure of the call.
   * @returns `error` for the client; the `outcome` to store, or null if the call had no effect and is forgotten; then `refusal` is passed to the
   * requests that wait for the call, unless null
   */
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
