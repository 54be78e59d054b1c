/**
 * The tool interface at /mcp: Streamable HTTP, nothing kept between requests. A call of a tool that is exactly as clients send it is answered here,
 * for little more than the same action costs over HTTP; all else is the SDK's (`sdk-server.ts`), which answers a call the same way.
 */
import type { ClientAddresses, Logger } from '@perch/runtime';
import { ApiError } from '@perch/schema';
import { keyOf, type Admission } from '../auth/admission.js';
import type { Tools } from '../actions/call.js';
import type { Drain } from '../http/drain.js';
import { sendFailure } from '../http/errors.js';
import type { Exchange } from '../http/exchange.js';
import type { JsonBodies } from '../http/json-body.js';
import { GivenUpCalls } from './cancellation-listener.js';
import { asRequest, eraOf, errorText, isObject, progressTokenOf, responseText, type RequestId, type RpcRequest } from './message.js';
import { OwnHosts } from '../http/allowed-hosts.js';
import { SdkServer, unknownTool } from './sdk-server.js';
import { toolByName, toolsResult } from './server-info.js';
import { mayWait, ToolCalls } from './tool-calls.js';
import { resultText } from './tool-result.js';
import { WaitingCalls } from './waiting-calls.js';

export interface McpOptions {
  tools: Tools;
  admission: Admission;
  bodies: JsonBodies;
  addresses: ClientAddresses;
  drain: Drain;
  log: Logger;
  publicUrl: string | null;
  /** What the gateway listens on. */
  host: string;
}

/** A larger body is read once its key is admitted; a smaller one that comes right behind its headers saves the second look at the key. */
const smallBytesMax = 65_536;
const rightBehindMs = 250;

const code = { parse: -32_700, invalidRequest: -32_600, noSuchMethod: -32_601, invalidParams: -32_602, refused: -32_000 };

/** @returns answers everything at /mcp */
export function createMcp({ tools, admission, bodies, addresses, drain, log, publicUrl, host }: McpOptions): (exchange: Exchange) => Promise<void> {
  const hosts = new OwnHosts(publicUrl, host);
  const calls = new ToolCalls({ tools, admission, log });
  const givenUp = new GivenUpCalls(tools.store.cancellations, addresses, log);
  const waits = new WaitingCalls(calls, givenUp);
  const sdk = new SdkServer(calls, log);

  /** Of a call that costs nothing. */
  const admit = (exchange: Exchange) => admission.admit(exchange.request.headers.authorization, null, 0, exchange);

  async function answer(exchange: Exchange): Promise<void> {
    const { request } = exchange;
    const { headers } = request;
    const stranger = hosts.problem(headers);
    if (stranger !== null) {
      exchange.code = 'forbidden';
      return exchange.answer(403, errorText(null, code.refused, stranger));
    }
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
    const rpc = asRequest(body);
    if (rpc?.method === 'tools/call' && (await callTool(exchange, rpc, early))) return;
    const key = await admit(exchange);
    if (rpc?.method === 'tools/list' && rpc.params['cursor'] === undefined) {
      const era = eraOf(headers, rpc);
      if (era !== null) return exchange.answer(200, responseText(rpc.id, toolsResult[era]));
    }
    if (Array.isArray(body)) return exchange.answer(400, errorText(null, code.invalidRequest, 'Send one message a request: batches are not taken.'));
    // Nothing here ever changes that a client could subscribe to, and a stream that says nothing would only be held.
    if (rpc?.method === 'subscriptions/listen')
      return exchange.answer(404, errorText(rpc.id, code.noSuchMethod, 'Method not found: there is nothing to subscribe to.'));
    const cancelled = cancelledIn(body);
    if (cancelled !== null) await givenUp.giveUp(key.keyHash, request, cancelled);
    await sdk.answer(exchange, body);
  }

  /** @returns false for what only looks like a call, or names itself in a way that has to be looked at */
  async function callTool(exchange: Exchange, { id, method, params }: RpcRequest, early: boolean): Promise<boolean> {
    const { name, arguments: args = {} } = params;
    const era = typeof name === 'string' && isObject(args) ? eraOf(exchange.request.headers, { id, method, params }, name) : null;
    if (era === null) return false;
    const tool = toolByName.get(name as string);
    if (tool === undefined) {
      if (early) await admit(exchange);
      exchange.code = 'bad_argument';
      exchange.answer(200, errorText(id, code.invalidParams, unknownTool(name as string)));
      return true;
    }
    if (mayWait(tool, args as Record<string, unknown>))
      await waits.run({ exchange, id, tool, args: args as Record<string, unknown>, token: progressTokenOf(params), era });
    else
      exchange.answer(
        200,
        responseText(id, resultText(await calls.run({ exchange, tool, args: args as Record<string, unknown>, begun: null }), era)),
      );
    return true;
  }

  return async (exchange) => {
    exchange.action = 'mcp';
    exchange.route = '/mcp';
    try {
      drain.refuseNew();
      if (drain.announced) exchange.setHeader('connection', 'close');
      await answer(exchange);
    } catch (error) {
      if (drain.announced) exchange.setHeader('connection', 'close');
      sendFailure(exchange, error, log);
    }
  };
}

interface Body {
  body: unknown;
  error: Error | null;
}

/** Never rejects. */
function settled(reading: Promise<unknown>): Promise<Body> {
  return reading.then(
    (body) => ({ body, error: null }),
    (error: Error) => ({ body: null, error }),
  );
}

/** Begins to read a small body, and says whether it arrived completely before the key had to be known; null for one that is to be read later. */
async function smallBody(exchange: Exchange, bodies: JsonBodies): Promise<{ arriving: Promise<Body>; early: boolean } | null> {
  const { request } = exchange;
  const { expect, 'content-length': length } = request.headers;
  if (expect !== undefined || length === undefined || Number(length) > smallBytesMax) return null;
  // By the next step what came in one piece with its headers is there.
  await Promise.resolve();
  const reading = bodies.readUnadmitted(exchange, Number(length));
  if (reading === null) return null;
  const arriving = settled(reading);
  if (request.complete) return { arriving, early: true };
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => (timer = setTimeout(resolve, rightBehindMs, null)));
  const first = await Promise.race([arriving, late]);
  clearTimeout(timer);
  return { arriving, early: first !== null };
}

/** A body that holds no message, with the status it has over HTTP and the form clients read. */
function refuseBody(exchange: Exchange, error: unknown): void {
  if (!(error instanceof ApiError)) throw error;
  const { status, message, code: name } = error;
  const rpcCode = name === 'malformed_json' || name === 'bad_argument' ? code.parse : code.refused;
  exchange.code = name;
  exchange.answer(status, errorText(null, rpcCode, message, { code: name, request_id: exchange.requestId }));
}

/** The call that a notification of 2025 gives up. */
function cancelledIn(body: unknown): RequestId | null {
  if (!isObject(body) || body['method'] !== 'notifications/cancelled' || !isObject(body['params'])) return null;
  const id = body['params']['requestId'];
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}
