/**
 * Serves MCP at /mcp: Streamable HTTP, stateless. A tool call in the exact form that clients send takes a fast path here, at little more than the
 * cost of the same action over HTTP. Everything else goes to the SDK (`sdk-server.ts`), which returns the same results.
 */
import type { ClientAddresses, Logger } from '@perch/runtime';
import { ApiError } from '@perch/schema';
import { keyOf, type Admission } from '../auth/admission.js';
import type { ActionServices } from '../actions/call.js';
import type { Drain } from '../http/drain.js';
import { sendFailure } from '../http/errors.js';
import type { Exchange } from '../http/exchange.js';
import type { JsonBodies } from '../http/json-body.js';
import { CancellationListener } from './cancellation-listener.js';
import { asRequest, eraOf, errorText, isObject, progressTokenOf, responseText, type RequestId, type RpcRequest } from './message.js';
import { AllowedHosts } from '../http/allowed-hosts.js';
import { SdkServer, unknownTool } from './sdk-server.js';
import { toolByName, toolsResult } from './server-info.js';
import { mayWait, ToolCalls } from './tool-calls.js';
import { resultText } from './tool-result.js';
import { WaitingCalls } from './waiting-calls.js';

export interface McpOptions {
  tools: ActionServices;
  admission: Admission;
  bodies: JsonBodies;
  addresses: ClientAddresses;
  drain: Drain;
  log: Logger;
  publicUrl: string | null;
  host: string;
}

/** A body up to this size that arrives right after its headers is read before its key is admitted, which saves a second admission. */
const smallBytesMax = 65_536;
const earlyMs = 250;

const code = { parse: -32_700, invalidRequest: -32_600, noSuchMethod: -32_601, invalidParams: -32_602, refused: -32_000 };

export function createMcp({ tools, admission, bodies, addresses, drain, log, publicUrl, host }: McpOptions): (exchange: Exchange) => Promise<void> {
  const hosts = new AllowedHosts(publicUrl, host);
  const calls = new ToolCalls({ tools, admission, log });
  const cancellations = new CancellationListener(tools.store.cancellations, addresses, log);
  const waits = new WaitingCalls(calls, cancellations);
  const sdk = new SdkServer(calls, log);

  /** Checks the key without charging its bucket. */
  const admit = (exchange: Exchange) => admission.admit(exchange.request.headers.authorization, null, 0, exchange);

  async function answer(exchange: Exchange): Promise<void> {
    const { request } = exchange;
    const { headers } = request;
    const hostProblem = hosts.problem(headers);
    if (hostProblem !== null) {
      exchange.code = 'forbidden';
      return exchange.answer(403, errorText(null, code.refused, hostProblem));
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
    if (Array.isArray(body))
      return exchange.answer(400, errorText(null, code.invalidRequest, 'Send one message per request: batches are not supported.'));
    // Tools change only with a release: an idle stream would only hold a connection.
    if (rpc?.method === 'subscriptions/listen')
      return exchange.answer(404, errorText(rpc.id, code.noSuchMethod, 'Method not found: there is nothing to subscribe to.'));
    const cancelled = cancelledIn(body);
    if (cancelled !== null) await cancellations.publish(key.keyHash, request, cancelled);
    await sdk.answer(exchange, body);
  }

  /** @returns false if the message needs the SDK: it is not a valid call, or its headers are not in the form that clients send */
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
        responseText(id, resultText(await calls.run({ exchange, tool, args: args as Record<string, unknown>, onAdmitted: null }), era)),
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

/** Starts to read a small body and waits briefly for it. Returns whether it arrived completely in that time; null for a body to read after admission. */
async function smallBody(exchange: Exchange, bodies: JsonBodies): Promise<{ arriving: Promise<Body>; early: boolean } | null> {
  const { request } = exchange;
  const { expect, 'content-length': length } = request.headers;
  if (expect !== undefined || length === undefined || Number(length) > smallBytesMax) return null;
  // After this, a body that arrived in one piece with its headers is readable.
  await Promise.resolve();
  const reading = bodies.readUnadmitted(exchange, Number(length));
  if (reading === null) return null;
  const arriving = settled(reading);
  if (request.complete) return { arriving, early: true };
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => (timer = setTimeout(resolve, earlyMs, null)));
  const first = await Promise.race([arriving, late]);
  clearTimeout(timer);
  return { arriving, early: first !== null };
}

/** Responds to an unreadable body with the status of the HTTP API and a JSON-RPC error. */
function refuseBody(exchange: Exchange, error: unknown): void {
  if (!(error instanceof ApiError)) throw error;
  const { status, message, code: name } = error;
  const rpcCode = name === 'malformed_json' || name === 'bad_argument' ? code.parse : code.refused;
  exchange.code = name;
  exchange.answer(status, errorText(null, rpcCode, message, { code: name, request_id: exchange.requestId }));
}

/** Returns the id of the call that a 2025 notification cancels, or null for other messages. */
function cancelledIn(body: unknown): RequestId | null {
  if (!isObject(body) || body['method'] !== 'notifications/cancelled' || !isObject(body['params'])) return null;
  const id = body['params']['requestId'];
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}
