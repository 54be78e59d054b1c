/** MCP over Streamable HTTP, stateless. Requests in the exact form of clients go to `direct-calls`, others to the SDK, with the same results. */
import type { ClientAddresses, Logger } from '@perch/runtime';
import { ApiError, grantableOf, isObject, keyScopes, scopesOf, type KeyScope } from '@perch/schema';
import type { Store } from '@perch/store';
import { keyOf } from '../auth/admission.js';
import type { OpenCalls } from '../calls/open-calls.js';
import type { StreamEnd } from '../http/sse.js';
import type { Robots } from '../robots/robots.js';
import { crossOrigin } from '../http/cors.js';
import type { Drain } from '../http/drain.js';
import { sendFailure } from '../http/errors.js';
import type { Exchange } from '../http/exchange.js';
import type { BaseUrl } from '../discovery/discovery.js';
import { challengeOf } from '../oauth/oauth.js';
import type { JsonBodies } from '../http/json-body.js';
import { CancellationListener } from './cancellation-listener.js';
import { eraOf, DirectCalls, settled, smallBody } from './direct-calls.js';
import { asRequest, errorText, newestRevision, rpcCodes, type RequestId } from './message.js';
import { Resources, Subscriptions } from './resources.js';
import type { AllowedHosts } from '../http/allowed-hosts.js';
import { SdkServer } from './sdk-server.js';
import { ToolCalls, type ToolCallsOptions } from './tool-calls.js';
import { WaitingCalls } from './waiting-calls.js';
import { LRUCache } from 'lru-cache';

export interface McpServices extends ToolCallsOptions {
  store: Store;
  robots: Pick<Robots, 'states'>;
  openCalls: OpenCalls;
  bodies: JsonBodies;
  addresses: ClientAddresses;
  drain: Drain;
  hosts: AllowedHosts;
  baseUrl: BaseUrl;
  streamEnded: (why: StreamEnd) => void;
}

export function createMcp(services: McpServices): (exchange: Exchange) => Promise<void> {
  const { store, admission, robots, openCalls, bodies, addresses, drain, log, hosts, baseUrl, streamEnded } = services;
  const calls = new ToolCalls(services);
  const resources = new Resources(services);
  const subscriptions = new Subscriptions({ admission, states: robots.states, openCalls, ended: streamEnded });
  const cancellations = new CancellationListener(store.cancellations, addresses, log);
  const direct = new DirectCalls(calls, new WaitingCalls(calls, cancellations));
  const sdk = new SdkServer(calls, resources, log);

  const agents = new AgentNotes(store.apiKeys, log);

  const admit = (exchange: Exchange) => admission.admit(exchange, null, 0);

  async function answer(exchange: Exchange): Promise<void> {
    const { request } = exchange;
    const { headers } = request;
    const hostProblem = hosts.problem(headers);
    if (hostProblem !== null) {
      exchange.code = 'forbidden';
      return exchange.answer(403, errorText(null, rpcCodes.refused, hostProblem));
    }
    if (crossOrigin(exchange)) return;
    // A client that takes anything takes both, which the protocol wants it to name.
    if (headers.accept === undefined || headers.accept.includes('*/*')) headers.accept = 'application/json, text/event-stream';
    if (request.method !== 'POST') {
      await admit(exchange);
      exchange.setHeader('allow', 'POST');
      throw new ApiError('method_not_allowed', `/mcp does not take ${request.method}; it takes POST.`);
    }
    keyOf(headers.authorization);
    const small = await smallBody(exchange, bodies);
    const early = small?.early === true;
    const admitted = early ? null : await admit(exchange);
    const { body, error } = await (small?.arriving ?? settled(bodies.read(exchange, admitted?.account ?? '')));
    if (error !== null) {
      if (early) await admit(exchange);
      return refuseBody(exchange, error);
    }
    if (isObject(body) && body['params'] === null) delete body['params'];
    const rpc = asRequest(body);
    if (rpc?.method === 'tools/call' && rpc.params['arguments'] === null) rpc.params['arguments'] = {};
    if (rpc?.method === 'tools/call' && (await direct.call(exchange, rpc, early ? admit : null))) return;
    const key = await admit(exchange);
    if (rpc?.method === 'tools/list') agents.note(key.keyHash);
    if (rpc?.method === 'tools/list' && direct.list(exchange, rpc)) return;
    if (Array.isArray(body))
      return exchange.answer(400, errorText(null, rpcCodes.invalidRequest, 'Send one message per request: batches are not supported.'));
    if (rpc?.method === 'subscriptions/listen') {
      if (eraOf(headers, rpc) === 'modern') return subscriptions.listen(exchange, rpc);
      return exchange.answer(404, errorText(rpc.id, rpcCodes.noSuchMethod, `Method not found: only the revision of ${newestRevision} has it.`));
    }
    const cancelled = cancelledIn(body);
    if (cancelled !== null) await cancellations.publish(key.keyHash, request, cancelled.id, cancelled.reason);
    await sdk.answer(exchange, body);
  }

  return async (exchange) => {
    exchange.action = 'mcp';
    exchange.via = 'agent';
    exchange.route = '/mcp';
    try {
      drain.refuseNew();
      if (drain.announced) exchange.setHeader('connection', 'close');
      await answer(exchange);
    } catch (error) {
      if (error instanceof ApiError && error.code === 'unauthorized') exchange.challenge = challengeOf(baseUrl(exchange.request));
      if (error instanceof ApiError && error.code === 'scope_missing')
        exchange.challenge = challengeOf(baseUrl(exchange.request), scopesWanted(exchange));
      if (drain.announced) exchange.setHeader('connection', 'close');
      sendFailure(exchange, error, log);
    }
  };
}

/** Returns the scopes that the token has, and those that the call needs: a client that asks for these alone would lose the others. */
function scopesWanted({ caller, action }: Exchange): KeyScope[] {
  const needed = grantableOf(scopesOf(action));
  return keyScopes.filter((scope) => caller?.scopes?.includes(scope) === true || needed.includes(scope));
}

function refuseBody(exchange: Exchange, error: unknown): void {
  if (!(error instanceof ApiError)) throw error;
  const { status, message, code: name } = error;
  const rpcCode = name === 'malformed_json' || name === 'bad_argument' ? rpcCodes.parse : rpcCodes.refused;
  exchange.code = name;
  exchange.answer(status, errorText(null, rpcCode, message, { code: name, request_id: exchange.requestId }));
}

function cancelledIn(body: unknown): { id: RequestId; reason: unknown } | null {
  if (!isObject(body) || body['method'] !== 'notifications/cancelled' || !isObject(body['params'])) return null;
  const { requestId: id, reason } = body['params'];
  return typeof id === 'string' || typeof id === 'number' ? { id, reason } : null;
}

/** Stores, once a key and instance, that an agent connected with a key, for the page's first steps. An agent lists the tools when it connects. */
const keysMax = 10_000;

class AgentNotes {
  readonly #apiKeys: Pick<Store['apiKeys'], 'noteAgent'>;
  readonly #log: Logger;
  readonly #noted = new LRUCache<string, true>({ max: keysMax });

  constructor(apiKeys: Pick<Store['apiKeys'], 'noteAgent'>, log: Logger) {
    this.#apiKeys = apiKeys;
    this.#log = log;
  }

  /** Does not delay the call. If Redis fails, the next listing tries again. */
  note(keyHash: string): void {
    if (this.#noted.has(keyHash)) return;
    this.#noted.set(keyHash, true);
    this.#apiKeys.noteAgent(keyHash).catch((error: unknown) => {
      this.#noted.delete(keyHash);
      this.#log.debug({ err: error }, 'the connection of an agent could not be stored');
    });
  }
}
