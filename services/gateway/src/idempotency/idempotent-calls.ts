/** Nothing is sent twice: a dead gateway's call is taken over with its replies; if these do not show its outcome, it is `outcome_unknown`. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AsyncSignal, sha256Short, sortedJson } from '@perch/runtime';
import { ApiError, limits, type CallOutcome, type ToLink, type CallStep, type ErrorCode, idempotencyKeyPattern } from '@perch/schema';
import { StoreError, type BeginResult, type GuestPass, type Store, type Claim } from '@perch/store';
import type { Drain } from '../http/drain.js';
import type { Exchange } from '../http/exchange.js';
import { ClientGone, TakenOver, asApiError } from '../calls/failures.js';
import type { OpenCalls } from '../calls/open-calls.js';
import type { RobotDirectory } from '../robots/robot-directory.js';
import { answerWithinMs } from '../calls/service-time.js';
import type { CommandReply, EffectLog } from '../calls/call.js';

export interface IdempotentRequest {
  key: string;
  keyHash: string;
  guest?: GuestPass | undefined;
  account: string;
  robot: string;
  action: string;
  body: unknown;
  client: Pick<Exchange, 'signal' | 'whenGone'>;
  /** Called once if another request made the call, in flight or completed. An error it throws is the answer. */
  onJoin(): Promise<unknown>;
  onReplay(): void;
  /** Whether the call can be finished from what a gateway that died recorded of it. */
  resumable: boolean;
  /** As `CallStep.answer`; null: the ack of a command does not end the call. */
  acked: readonly string[] | null;
  act(call: IdempotentCall): Promise<object>;
}

export interface IdempotentCallsOptions {
  store: Pick<Store, 'instance' | 'instances' | 'calls' | 'clock' | 'linkMailbox'>;
  directory: Pick<RobotDirectory, 'cached'>;
  openCalls: OpenCalls;
  drain: Pick<Drain, 'enter' | 'leave'>;
  outlivesMs?: number | undefined;
}

type NamedCall = Pick<IdempotentRequest, 'robot' | 'account'> & { name: string; print: string };
type Found = BeginResult & { ours: string };
/** Begins with its first command. */
type Unbegun = { state: 'unbegun'; ours: string; begunAt: number; first: FirstCommand };
type Executed = Extract<Found, { begunAt: number; state: 'begun' | 'adopted' }> | Unbegun;

/** How often the state of a call at another gateway is polled. Each poll also records that the answer is still wanted. */
const pollMs = 2_000;
/** No call takes longer: this exceeds a scene of ten steps with a wait at its end. */
const longestCallMs = 280_000;
/** Interval and time limit of retries to store the outcome of a call in Redis. */
const retryMs = 1_000;
const retryWithinMs = 60_000;

export class IdempotentCalls {
  readonly #store: IdempotentCallsOptions['store'];
  readonly #directory: IdempotentCallsOptions['directory'];
  readonly #openCalls: OpenCalls;
  readonly #drain: IdempotentCallsOptions['drain'];
  readonly #outlivesMs: number;
  readonly #running = new Set<string>();

  constructor({ store, directory, openCalls, drain, outlivesMs = limits.idempotency.outlivesS * 1000 }: IdempotentCallsOptions) {
    this.#store = store;
    this.#directory = directory;
    this.#openCalls = openCalls;
    this.#drain = drain;
    this.#outlivesMs = outlivesMs;
  }

  /** @throws {ApiError} bad_argument if the key was used for another call, storage_full; then the error of the action, now or before */
  async run(request: IdempotentRequest): Promise<object> {
    const { robot, account, keyHash, key, action, body } = request;
    const call: NamedCall = { robot, account, name: callName(keyHash, key), print: fingerprint(action, body) };
    await this.#store.instances.announce();
    let joined = false;
    let found = this.#beginsWithCommand(request) ? this.#unbegun(call) : await this.#begin(call, null);
    for (;;) {
      const isOurs = found.state === 'begun' || found.state === 'unbegun';
      if (!isOurs && !joined) await request.onJoin();
      joined ||= !isOurs;
      if (found.state === 'other') throw keyUsedBefore();
      if (found.state === 'ended' || found.state === 'adopted') request.onReplay();
      if (found.state === 'ended') return answerOf(found.outcome);
      try {
        if (found.state !== 'running') return await this.#execute(request, call, found);
        found = await this.#untilOver(request, call);
      } catch (error) {
        if (error instanceof OtherBegan) found = { ...error.found, ours: '' };
        else if (error instanceof TakenOver) found = await this.#untilOver(request, call);
        else throw error;
      }
    }
  }

  /** Whether the first thing that the call does is a command to a robot that is there. */
  #beginsWithCommand({ acked, robot }: IdempotentRequest): boolean {
    return acked !== null && this.#store.calls.canBeginWithCommand && this.#directory.cached(robot) !== undefined;
  }

  #unbegun({ robot, account, name, print }: NamedCall): Unbegun {
    const { calls, instance } = this.#store;
    const ours = randomUUID();
    this.#running.add(ours);
    const claim = { fingerprint: print, claim: ours, gateway: instance };
    return { state: 'unbegun', ours, begunAt: 0, first: new FirstCommand({ calls, robot, name, account, claim }) };
  }

  /** Resolves when a call at another gateway has ended, or when this gateway must execute it. */
  #untilOver({ keyHash, guest, robot, client }: IdempotentRequest, call: NamedCall): Promise<Exclude<Found, { state: 'running' }>> {
    return this.#openCalls.run({ keyHash, guest: guest ?? null }, 'wait', client.signal, async (callSignal) => {
      const changed = new AsyncSignal();
      const onChange = (): void => changed.set();
      let refused: CallOutcome | null = null;
      const unsubscribe = await this.#store.calls.subscribe(robot, call.name, (refusal) => {
        refused ??= refusal;
        onChange();
      });
      callSignal.addEventListener('abort', onChange, { once: true });
      try {
        for (let dead = ''; ;) {
          callSignal.throwIfAborted();
          if (refused !== null) return { state: 'ended', outcome: refused, ours: '' };
          const found = await this.#begin(call, dead);
          if (found.state !== 'running') return found;
          dead = (await this.#isDead(found)) ? found.claim : '';
          if (dead === '') await changed.wait(pollMs);
        }
      } finally {
        callSignal.removeEventListener('abort', onChange);
        unsubscribe();
      }
    });
  }

  async #begin({ robot, account, name, print }: NamedCall, dead: string | null): Promise<Found> {
    const { calls, instance } = this.#store;
    const ours = randomUUID();
    this.#running.add(ours);
    let isOurs = false;
    try {
      const claim = { fingerprint: print, claim: ours, gateway: instance };
      const begun = await (dead === null ? calls.begin(robot, name, claim, account) : calls.resume(robot, name, claim, dead));
      isOurs = begun.state === 'begun' || begun.state === 'adopted';
      return { ...begun, ours };
    } catch (error) {
      // Redis may have stored the claim, or may still, and nothing would execute the call: delete it. Redis processes the commands in order.
      if (!dead && error instanceof StoreError && error.fate !== 'not_done') void untilDone(() => calls.end(robot, name, ours, null));
      throw error;
    } finally {
      if (!isOurs) this.#running.delete(ours);
    }
  }

  async #isDead({ claim, gateway, begunAt }: Extract<BeginResult, { state: 'running' }>): Promise<boolean> {
    const { instance, instances, clock } = this.#store;
    if (gateway === instance) return !this.#running.has(claim);
    if (clock.now() - begunAt > longestCallMs) return true;
    return (await instances.health([gateway])).get(gateway) === 'gone';
  }

  /** Executes the call and stores its outcome. A disconnected client does not end the call, unless no other client asks for the answer. */
  async #execute(request: IdempotentRequest, { robot, name }: NamedCall, found: Executed): Promise<object> {
    const { state, ours, begunAt } = found;
    const first = found.state === 'unbegun' ? found.first : null;
    const begin = first === null ? null : (link: string, message: ToLink): Promise<number | null> => first.publish(link, message);
    const recalled = state === 'adopted';
    const call = new IdempotentCall({ store: this.#store, robot, name, claim: ours, recalled, begunAt, acked: request.acked, begin });
    let over = null as AbortController | null;
    this.#drain.enter();
    const leave = request.client.whenGone(() => {
      over = new AbortController();
      void this.#outlive(call, over.signal);
    });
    try {
      const acting = call.recalled && !request.resumable ? Promise.reject(outcomeUnknown()) : request.act(call);
      const answer = await acting.catch(async (cause: unknown) => {
        if (cause instanceof TakenOver) throw cause;
        const unsent = first === null ? null : await this.#begunAfter(first, call, cause);
        const { error, outcome, refusal } = call.failed(cause);
        if (unsent === null) await this.#end(robot, name, ours, outcome, refusal);
        else await this.#end(robot, name, ours, null, null);
        throw unsent ?? error;
      });
      if (!call.isStored) await this.#end(robot, name, ours, { answer: answer as Record<string, unknown> }, null);
      return answer;
    } finally {
      over?.abort();
      leave();
      this.#running.delete(ours);
      this.#drain.leave();
    }
  }

  /** As `FirstCommand.begun`. What Redis does not say now is cleared up later. */
  async #begunAfter(first: FirstCommand, call: IdempotentCall, cause: unknown): Promise<StoreError | null> {
    const { robot, name, claim } = call;
    const { calls } = this.#store;
    try {
      return await first.begun();
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      if (!first.isDoubtful) {
        // As in `#begin`.
        if (error.fate !== 'not_done') void untilDone(() => calls.end(robot, name, claim, null));
        throw error;
      }
      const { error: answer, outcome } = call.failed(cause);
      void untilDone(() => first.begun().then(() => calls.end(robot, name, claim, outcome)), retryMs);
      throw answer;
    }
  }

  /** Aborts a call whose client disconnected once no client has asked for its answer for `outlivesMs`. */
  async #outlive(call: IdempotentCall, over: AbortSignal): Promise<void> {
    const { calls, clock } = this.#store;
    let wantedAt = clock.now();
    let checkAt = wantedAt + this.#outlivesMs;
    for (;;) {
      await sleep(Math.max(0, checkAt - clock.now()), undefined, { signal: over }).catch(() => {});
      if (over.aborted) return;
      const state = await calls.read(call.robot, call.name).catch(() => undefined);
      if (state !== undefined && state !== null && state.claim !== call.claim) return call.end(new TakenOver());
      // A client that disconnected at another gateway may have polled up to `pollMs` before.
      const sinceAt = state === undefined ? Infinity : (state?.wantedAt ?? 0) + pollMs;
      if (sinceAt <= wantedAt) return call.end(new ClientGone());
      if (state === undefined) checkAt = clock.now() + retryMs;
      else checkAt = (wantedAt = sinceAt) + this.#outlivesMs;
    }
  }

  /** Stores the outcome of a call. Never rejects: the client gets the outcome even if storing fails, which is then retried. */
  async #end(robot: string, name: string, claim: string, outcome: CallOutcome | null, refusal: CallOutcome | null): Promise<void> {
    const store = (): Promise<unknown> => this.#store.calls.end(robot, name, claim, outcome, refusal);
    await store().catch(() => void untilDone(() => store().then(() => true), retryMs));
  }
}

/** Retries until Redis has done the work, for up to a minute. @param afterMs delay before the first attempt */
async function untilDone(work: () => Promise<boolean>, afterMs = 0): Promise<void> {
  const since = performance.now();
  for (let pauseMs = afterMs; performance.now() - since < retryWithinMs; pauseMs = retryMs) {
    if (pauseMs > 0) await sleep(pauseMs, undefined, { ref: false });
    if (await work().catch(() => false)) return;
  }
}

function answerOf(outcome: CallOutcome): object {
  if ('answer' in outcome) return outcome.answer;
  const { code, error, ...details } = outcome.failure;
  throw new ApiError(code, error, details);
}

/** At the gateway with the claim. Taken over from a dead gateway, it is *recalled*: its action runs with the kept replies, and sends nothing. */
interface IdempotentCallOptions {
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
type Publish = (link: string, message: ToLink) => Promise<number | null>;

const replyPollMs = 250;
/** More than the commands of one part. */
const partSteps = 100;
/** Replies, and nack codes, of a command that did not reach the robot or that it will not begin. */
const notSent: ReadonlySet<CommandReply['t']> = new Set(['not_here', 'media_missing']);
const notBegunCodes: ReadonlySet<ErrorCode> = new Set(['robot_busy', 'service_unavailable']);
/** Errors that concern one request or one instance only. Other requests waiting for the same call are not given them, but try themselves. */
const localCodes: ReadonlySet<ErrorCode> = new Set(['rate_limited', 'draining']);

export class IdempotentCall implements EffectLog {
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

  part(index: number): EffectLog {
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
      if (reply === undefined) await new Promise((resolve) => setTimeout(resolve, replyPollMs));
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

function outcomeUnknown(cause?: unknown): ApiError {
  return new ApiError('outcome_unknown', 'The call was interrupted. Its outcome is unknown, and it is not executed again under this key.', {
    cause,
  });
}

// Begins a call by publishing its first command: one script does both or neither, and saves the exchange with Redis that a beginning takes.

/** Another request began the call, so that this one has sent nothing. */
class OtherBegan extends Error {
  override readonly name = 'OtherBegan';
  readonly found: Exclude<BeginResult, { state: 'begun' | 'adopted' }>;

  constructor(found: OtherBegan['found']) {
    super(`the call is ${found.state}`);
    this.found = found;
  }
}

interface FirstCommandOptions {
  calls: Pick<Store['calls'], 'begin' | 'beginWith'>;
  robot: string;
  name: string;
  account: string;
  claim: Claim;
}

class FirstCommand {
  readonly #options: FirstCommandOptions;
  #tried = false;
  /** Why it is unknown whether the call began; null: it is known. */
  #doubt: StoreError | null = null;
  /** Why it certainly did not begin. */
  #failure: Error | null = null;

  constructor(options: FirstCommandOptions) {
    this.#options = options;
  }

  /** As `Mailbox.send`. @throws {OtherBegan} and, as `Calls.begin`, StoreError */
  async publish(link: string, message: ToLink): Promise<number | null> {
    const { calls, robot, name, account, claim } = this.#options;
    this.#tried = true;
    try {
      const { found, receivers } = await calls.beginWith(robot, name, claim, account, link, message);
      if (found.state === 'begun') return receivers;
      throw new OtherBegan(found as OtherBegan['found']);
    } catch (error) {
      if (error instanceof StoreError && error.fate !== 'not_done') this.#doubt = error;
      else this.#failure = error as Error;
      throw error;
    }
  }

  /**
   * Returns once the record of a failed call certainly has the claim: a replay must be found even if the action failed before its first command.
   * If Redis does not say whether the call had begun, it begins now, which a script that is executed later finds.
   * @returns the error of a command that certainly was not sent; null: the action's own counts
   * @throws {OtherBegan}; why it did not begin; StoreError: unknown still
   */
  async begun(): Promise<StoreError | null> {
    const { calls, robot, name, account, claim } = this.#options;
    if (this.#failure !== null) throw this.#failure;
    if (this.#tried && this.#doubt === null) return null;
    const found = await calls.begin(robot, name, claim, account);
    if (found.state === 'begun') return this.#doubt;
    if (found.state === 'running' && found.claim === claim.claim) return null;
    throw new OtherBegan(found as OtherBegan['found']);
  }

  /** Whether Redis failed to say if the call began. */
  get isDoubtful(): boolean {
    return this.#doubt !== null;
  }
}

/** The header Idempotency-Key. A key identifies one action with its arguments, of one API key on one robot. */
export const idempotencyHeader = 'idempotency-key';
const displayName = 'Idempotency-Key';

const keyShape = new RegExp(idempotencyKeyPattern);

/** @param sent as parsed by Node, which joins repeated headers to an invalid value */
export function isIdempotencyKey(sent: string | string[]): sent is string {
  return typeof sent === 'string' && keyShape.test(sent);
}

export function badIdempotencyKey(): ApiError {
  return invalidKey(`must be 1 to ${limits.idempotency.keyCharsMax} visible ASCII characters, once`);
}

function keyUsedBefore(): ApiError {
  return invalidKey('was used in the last minutes with another action or other arguments; send a new one with each new call');
}

/** Returns the name of a call among those of its robot. It includes the API key, so that equal idempotency keys of two API keys never collide. */
export function callName(apiKeyHash: string, key: string): string {
  return sha256Short(`${apiKeyHash} ${key}`);
}

/** Returns a hash of an action and its JSON body, independent of the order of members. @throws {ApiError} bad_argument for a body nested too deeply */
export function fingerprint(action: string, body: unknown): string {
  try {
    return sha256Short(`${action} ${sortedJson(body)}`);
  } catch (error) {
    // JSON.stringify recurses, unlike JSON.parse.
    if (error instanceof RangeError) throw new ApiError('bad_argument', 'The body is nested too deeply.', { cause: error });
    throw error;
  }
}

function invalidKey(problem: string): ApiError {
  return new ApiError('bad_argument', `${displayName}: ${problem}`, { field: displayName });
}
