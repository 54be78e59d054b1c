/** Nothing is sent twice: a dead gateway's call is taken over with its replies; if these do not show its outcome, it is `outcome_unknown`. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AsyncSignal } from '@perch/runtime';
import { ApiError, limits, type CallOutcome, type ToLink } from '@perch/schema';
import { StoreError, type BeginResult, type GuestPass, type Store } from '@perch/store';
import type { Drain } from '../http/drain.js';
import type { Exchange } from '../http/exchange.js';
import { ClientGone, TakenOver } from '../calls/failures.js';
import type { OpenCalls } from '../calls/open-calls.js';
import type { RobotDirectory } from '../robots/robot-directory.js';
import { FirstCommand, OtherBegan } from './first-command.js';
import { callName, fingerprint, keyUsedBefore } from './idempotency-key.js';
import { IdempotentCall, outcomeUnknown } from './idempotent-call.js';

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
