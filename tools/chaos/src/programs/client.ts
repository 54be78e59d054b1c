/** A program of one account: it calls through any gateway with its own key, and records every call in the history. */
import type { Agent } from 'node:http';
import type { History } from '../history/history.js';
import type { Body, Call } from '../history/records.js';
import { send, type Request } from './send.js';
import type { Plan } from './plan.js';

export interface Address {
  readonly place: string;
  readonly url: string;
}

export interface ClientKey {
  readonly id: string;
  readonly apiKey: string;
}

export interface ActOptions {
  hangUpMs?: number | null;
  key?: string | null;
}

/** Beyond the promised time, ms: longer than the checker allows a read while its gateway has no storage, so that a call without an answer is found. */
const patienceMs = 6000;

export class Client {
  readonly account: string;
  readonly #key: ClientKey;
  readonly #history: History;
  readonly #agent: Agent | undefined;

  /** @param agent default: a connection for each call */
  constructor(account: string, key: ClientKey, history: History, agent?: Agent) {
    this.account = account;
    this.#key = key;
    this.#history = history;
    this.#agent = agent;
  }

  act(gateway: Address, robot: string, { action, args, asked, withinMs }: Plan, { hangUpMs = null, key = null }: ActOptions = {}): Promise<Call> {
    const url = `${gateway.url}/v1/robots/${robot}/${action}`;
    const request = { method: 'POST', url, key: this.#key.apiKey, args, idempotencyKey: key } as const;
    return this.#do(gateway, request, { robot, action, asked, key, withinMs }, hangUpMs);
  }

  inspect(gateway: Address, robot: string | null): Promise<Call> {
    const url = `${gateway.url}/v1/robots${robot === null ? '' : `/${robot}`}`;
    const action = robot === null ? 'robots' : 'state';
    const what = { robot: robot ?? '', action, asked: { kind: 'inspect' } as const, key: null, withinMs: inspectWithinMs };
    return this.#do(gateway, { method: 'GET', url, key: this.#key.apiKey, args: null, idempotencyKey: null }, what, null);
  }

  async #do(
    { place }: Address,
    request: Request,
    what: Pick<Call, 'robot' | 'action' | 'asked' | 'key' | 'withinMs'>,
    hangUpMs: number | null,
  ): Promise<Call> {
    const { record, end } = this.#history.call({ account: this.account, apiKey: this.#key.id, gateway: place, ...what });
    end(await send(request, { giveUpMs: what.withinMs + patienceMs, hangUpMs, agent: this.#agent }));
    return record;
  }
}

/** Promised like a read of zero seconds. */
const inspectWithinMs = 1000;

export function answerOf({ ending }: Call): Body | null {
  return ending?.how === 'answered' && ending.status === 200 ? ending.body : null;
}
