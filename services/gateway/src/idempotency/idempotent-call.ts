/**
 * A call under an Idempotency-Key, as the gateway sees it that has its claim: what it may have done, and until when it goes on.
 * One that was taken over from a dead gateway is *recalled*: its action runs again on what was kept of it, and nothing is sent.
 */
import { ApiError, type CallOutcome, type CallStep, type ErrorCode } from '@perch/schema';
import { StoreError, type Store } from '@perch/store';
import { asApiError, ClientGone } from '../http/errors.js';
import type { Reply } from '../robots/replies.js';
import { answerWithinMs } from '../robots/robot-commands.js';

/** Why a call ended here that another gateway goes on with. */
export class TakenOver extends Error {
  override readonly name = 'TakenOver';
}

export interface IdempotentCallOptions {
  store: Pick<Store, 'calls' | 'clock'>;
  robot: string;
  name: string;
  claim: string;
  recalled: boolean;
  /** Redis time, ms, also where it was another gateway that began it. */
  begunAt: number;
}

const askAgainMs = 250;
/** Replies, and codes of a nack, that a command has which the robot was not told, or will not begin. */
const untold: ReadonlySet<Reply['t']> = new Set(['not_here', 'media_missing', 'failed']);
const untoldCodes: ReadonlySet<ErrorCode> = new Set(['robot_busy', 'service_unavailable']);
/** Refusals of one request and one instance; who waits for the same call asks for itself. */
const ownCodes: ReadonlySet<ErrorCode> = new Set(['unauthorized', 'rate_limited', 'draining']);

export class IdempotentCall {
  readonly robot: string;
  readonly name: string;
  readonly claim: string;
  readonly recalled: boolean;
  readonly #store: Pick<Store, 'calls' | 'clock'>;
  readonly #begunAt: number;
  readonly #abort = new AbortController();
  #steps = 0;
  /** A command reached the robot, or may have, or something else was done. */
  #acted = false;
  /** A wait may be open, or its outcome unread. */
  #waiting = false;
  /** Of one that is recalled: something that was kept says how it ended. */
  #recollected = false;

  constructor({ store, robot, name, claim, recalled, begunAt }: IdempotentCallOptions) {
    this.#store = store;
    this.robot = robot;
    this.name = name;
    this.claim = claim;
    this.recalled = recalled;
    this.#begunAt = begunAt;
  }

  /** Aborted when nobody has wanted its answer for a while, or when another gateway took it over; not by a client that hangs up. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Ends it with `ClientGone`, or `TakenOver`. */
  end(reason: ClientGone | TakenOver): void {
    this.#abort.abort(reason);
  }

  /** A command is about to be sent. */
  nextStep(): CallStep {
    return { call: this.name, at: this.#steps++ };
  }

  /** What became of a command that was sent. */
  heard(reply: Reply): void {
    if (reply.t === 'nack' ? !untoldCodes.has(reply.code) : !untold.has(reply.t)) this.#acted = true;
  }

  /** Something was done that is no command, or may have been. */
  acted(): void {
    this.#acted = true;
  }

  /** A wait is about to be opened, or looked for. */
  waitBegins(): void {
    this.#waiting = true;
  }

  /** It ended, and how is known. */
  waitEnded(): void {
    this.#waiting = false;
    this.#recollected = true;
  }

  /** The reply to a command of this gateway's that went astray between the robot-link and here; `otherwise` where there is none. */
  async keptReply({ at }: CallStep, otherwise: Reply): Promise<Reply> {
    const state = await this.#store.calls.read(this.robot, this.name).catch(() => null);
    return state?.replies.get(at) ?? otherwise;
  }

  /** What the robot replied to a command of the dead gateway. As long as its ack may come it is waited for. */
  async recallReply({ at }: CallStep): Promise<Reply> {
    let reply: Reply | undefined;
    do {
      const state = await this.#store.calls.read(this.robot, this.name);
      reply = state?.replies.get(at);
      if (reply === undefined) await new Promise((resolve) => setTimeout(resolve, askAgainMs));
    } while (reply === undefined && this.#store.clock.now() < this.#begunAt + answerWithinMs);
    this.#recollected = true;
    reply ??= { t: 'late' };
    this.heard(reply);
    return reply;
  }

  /** The number of the wait that the dead gateway opened; null when it opened none: without its claim it never will, so that one may be opened here. */
  async recallWait(): Promise<number | null> {
    const state = await this.#store.calls.read(this.robot, this.name);
    this.#recollected = true;
    return state?.wait ?? null;
  }

  /** What a failure of the call means: what its caller is told, and what is kept of it, or told to who waits for it where it did nothing and is forgotten. */
  failed(cause: unknown): { told: unknown; outcome: CallOutcome | null; refusal: CallOutcome | null } {
    const lost = this.recalled && !this.#recollected;
    if (!lost && !this.#acted && !this.#waiting) {
      const own = cause instanceof ClientGone || (cause instanceof ApiError && ownCodes.has(cause.code));
      return { told: cause, outcome: null, refusal: own ? null : outcomeOf(cause) };
    }
    const certain = !lost && !this.#waiting && !(cause instanceof StoreError || cause instanceof ClientGone);
    const told = certain ? cause : unknownFate(cause);
    return { told, outcome: outcomeOf(told), refusal: null };
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

export function unknownFate(cause?: unknown): ApiError {
  return new ApiError('outcome_unknown', 'The call was broken off; whether it was done is not known, and it is not done again under this key.', {
    cause,
  });
}
