/**
 * Calls under an Idempotency-Key: one that was made before is answered again, one that runs is joined, wherever it runs; else it is done here.
 * What was sent for a call is never sent again for it: the call of a gateway that died is taken over with what was kept of it, and where that does
 * not say how it ended, nobody will, and that is its outcome.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, limits, type CallOutcome } from '@perch/schema';
import { StoreError, type Begun, type Store } from '@perch/store';
import type { Drain } from '../http/drain.js';
import { ClientGone } from '../http/errors.js';
import type { HeldCalls } from '../auth/open-calls.js';
import { callName, fingerprint, keyUsedBefore } from './idempotency-key.js';
import { IdempotentCall, TakenOver } from './idempotent-call.js';
import { Wake } from '../events/async-signal.js';

export interface AskedCall {
  /** The Idempotency-Key. */
  key: string;
  keyHash: string;
  /** The robot's account. */
  account: string;
  robot: string;
  action: string;
  /** As it came. */
  body: unknown;
  /** Aborted when the client hangs up. */
  signal: AbortSignal;
  /** Called once where another request made the call, whether it runs or is over. What it throws is the answer. */
  joins(): Promise<unknown>;
  /** Called when another request's outcome is the answer, which follows. */
  replays(): void;
  /** Does the action. */
  act(call: IdempotentCall): Promise<object>;
}

export interface IdempotentCallsOptions {
  store: Pick<Store, 'instance' | 'instances' | 'calls' | 'clock'>;
  held: HeldCalls;
  drain: Pick<Drain, 'enter' | 'leave'>;
  /** How long a call goes on that nobody waits for, ms. */
  outlivesMs?: number | undefined;
}

type Named = Pick<AskedCall, 'robot' | 'account'> & { name: string; print: string };
/** What became of a call, and the claim that it was asked with. */
type Found = Begun & { ours: string };

/** How often a call that runs elsewhere is looked at; each look says that it is wanted. */
const lookMs = 2_000;
/** No call takes so long: a scene of ten with a wait at its end takes less. */
const longestCallMs = 280_000;
/** How often, and how long, Redis is told again how a call ended. */
const againMs = 1_000;
const againWithinMs = 60_000;

export class IdempotentCalls {
  readonly #store: IdempotentCallsOptions['store'];
  readonly #held: HeldCalls;
  readonly #drain: IdempotentCallsOptions['drain'];
  readonly #outlivesMs: number;
  /** Claims of calls that run here. */
  readonly #running = new Set<string>();

  constructor({ store, held, drain, outlivesMs = limits.idempotency.outlivesS * 1000 }: IdempotentCallsOptions) {
    this.#store = store;
    this.#held = held;
    this.#drain = drain;
    this.#outlivesMs = outlivesMs;
  }

  /** @throws {ApiError} bad_argument where the key stands for another call, storage_full; then what the action throws, or once threw */
  async run(asked: AskedCall): Promise<object> {
    const { robot, account, keyHash, key, action, body } = asked;
    const call: Named = { robot, account, name: callName(keyHash, key), print: fingerprint(action, body) };
    await this.#store.instances.announce();
    let joined = false;
    for (let found = await this.#begin(call, null); ; found = await this.#over(asked, call)) {
      if (found.state !== 'begun' && !joined) await asked.joins();
      joined ||= found.state !== 'begun';
      if (found.state === 'other') throw keyUsedBefore();
      if (found.state === 'ended' || found.state === 'adopted') asked.replays();
      if (found.state === 'ended') return answerOf(found.outcome);
      if (found.state === 'running') continue;
      try {
        return await this.#own(asked, call, found);
      } catch (error) {
        if (!(error instanceof TakenOver)) throw error;
      }
    }
  }

  /** Resolves when a call that runs elsewhere is over, or this gateway's to do. */
  #over({ keyHash, robot, signal }: AskedCall, call: Named): Promise<Exclude<Found, { state: 'running' }>> {
    return this.#held.run(keyHash, 'wait', signal, async (held) => {
      const wake = new Wake();
      const ring = (): void => wake.ring();
      let refused: CallOutcome | null = null;
      const unsubscribe = await this.#store.calls.subscribe(robot, call.name, (refusal) => {
        refused ??= refusal;
        ring();
      });
      held.addEventListener('abort', ring, { once: true });
      try {
        for (let dead = ''; ;) {
          held.throwIfAborted();
          if (refused !== null) return { state: 'ended', outcome: refused, ours: '' };
          const found = await this.#begin(call, dead);
          if (found.state !== 'running') return found;
          dead = (await this.#isDead(found)) ? found.claim : '';
          if (dead === '') await wake.within(lookMs);
        }
      } finally {
        held.removeEventListener('abort', ring);
        unsubscribe();
      }
    });
  }

  /** @param dead the claim of a gateway that died, '' where none did; null: it is asked for the first time */
  async #begin({ robot, account, name, print }: Named, dead: string | null): Promise<Found> {
    const { calls, instance } = this.#store;
    const ours = randomUUID();
    this.#running.add(ours);
    let mine = false;
    try {
      const claim = { fingerprint: print, claim: ours, gateway: instance };
      const begun = await (dead === null ? calls.begin(robot, name, claim, account) : calls.look(robot, name, claim, dead));
      mine = begun.state === 'begun' || begun.state === 'adopted';
      return { ...begun, ours };
    } catch (error) {
      // It may have begun, or may yet, and nobody does it. Redis does this right behind what it was late with.
      if (!dead && error instanceof StoreError && error.fate !== 'not_done') void untilDone(() => calls.end(robot, name, ours, null));
      throw error;
    } finally {
      if (!mine) this.#running.delete(ours);
    }
  }

  async #isDead({ claim, gateway, begunAt }: Extract<Begun, { state: 'running' }>): Promise<boolean> {
    const { instance, instances, clock } = this.#store;
    if (gateway === instance) return !this.#running.has(claim);
    if (clock.now() - begunAt > longestCallMs) return true;
    return (await instances.health([gateway])).get(gateway) === 'gone';
  }

  /** Does the call and keeps how it ended. A client that hangs up does not end it, unless nobody else comes for its answer. */
  async #own(asked: AskedCall, { robot, name }: Named, { state, ours, begunAt }: Found & { begunAt: number }): Promise<object> {
    const { signal } = asked;
    const call = new IdempotentCall({ store: this.#store, robot, name, claim: ours, recalled: state === 'adopted', begunAt });
    const over = new AbortController();
    const left = (): void => void this.#outlive(call, over.signal);
    this.#drain.enter();
    if (signal.aborted) left();
    else signal.addEventListener('abort', left, { once: true });
    try {
      const answer = await asked.act(call).catch(async (cause: unknown) => {
        if (cause instanceof TakenOver) throw cause;
        const { told, outcome, refusal } = call.failed(cause);
        await this.#end(robot, name, ours, outcome, refusal);
        throw told;
      });
      await this.#end(robot, name, ours, { answer: answer as Record<string, unknown> }, null);
      return answer;
    } finally {
      over.abort();
      signal.removeEventListener('abort', left);
      this.#running.delete(ours);
      this.#drain.leave();
    }
  }

  /** Ends a call whose client hung up once nobody has wanted its answer for as long as that may take. */
  async #outlive(call: IdempotentCall, over: AbortSignal): Promise<void> {
    const { calls, clock } = this.#store;
    let wantedAt = clock.now();
    let lookAt = wantedAt + this.#outlivesMs;
    for (;;) {
      await sleep(Math.max(0, lookAt - clock.now()), undefined, { signal: over }).catch(() => {});
      if (over.aborted) return;
      const state = await calls.read(call.robot, call.name).catch(() => undefined);
      if (state !== undefined && state !== null && state.claim !== call.claim) return call.end(new TakenOver());
      // Who hung up elsewhere may have looked a moment ago.
      const sinceAt = state === undefined ? Infinity : (state?.wantedAt ?? 0) + lookMs;
      if (sinceAt <= wantedAt) return call.end(new ClientGone());
      if (state === undefined) lookAt = clock.now() + againMs;
      else lookAt = (wantedAt = sinceAt) + this.#outlivesMs;
    }
  }

  /** Never rejects: the caller is told what was done, whether or not Redis can be. */
  async #end(robot: string, name: string, claim: string, outcome: CallOutcome | null, refusal: CallOutcome | null): Promise<void> {
    const tell = (): Promise<unknown> => this.#store.calls.end(robot, name, claim, outcome, refusal);
    await tell().catch(() => void untilDone(() => tell().then(() => true), againMs));
  }
}

/** Has Redis do what it was not there for; gives up after a minute. @param afterMs before the first time */
async function untilDone(work: () => Promise<boolean>, afterMs = 0): Promise<void> {
  const since = performance.now();
  for (let pauseMs = afterMs; performance.now() - since < againWithinMs; pauseMs = againMs) {
    if (pauseMs > 0) await sleep(pauseMs, undefined, { ref: false });
    if (await work().catch(() => false)) return;
  }
}

/** @throws {ApiError} the failure that the call ended with */
function answerOf(outcome: CallOutcome): object {
  if ('answer' in outcome) return outcome.answer;
  const { code, error, ...details } = outcome.failure;
  throw new ApiError(code, error, details);
}
