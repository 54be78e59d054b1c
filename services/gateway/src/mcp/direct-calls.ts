/** Answers tool calls and lists of tools in the exact form that clients send, without the SDK and with the same results. */
import { isObject } from '@perch/schema';
import type { Exchange } from '../http/exchange.js';
import {
  errorText,
  progressTokenOf,
  responseText,
  rpcCodes,
  type RpcRequest,
  metaOf,
  newestRevision,
  takesStreams,
  type Era,
  toolByName,
  toolsResult,
} from './message.js';
import { unknownTool } from './sdk-server.js';
import { mayWait, type ToolCalls } from './tool-calls.js';
import { readArguments } from './read-arguments.js';
import { resultText } from './tool-result.js';
import type { WaitingCalls } from './waiting-calls.js';
import type { IncomingHttpHeaders } from 'node:http';
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/server';
import { withinMs } from '@perch/runtime';
import type { JsonBodies } from '../http/json-body.js';

export class DirectCalls {
  readonly #calls: ToolCalls;
  readonly #waits: WaitingCalls;

  constructor(calls: ToolCalls, waits: WaitingCalls) {
    this.#calls = calls;
    this.#waits = waits;
  }

  /** `admit` checks the key of a call refused before it is charged; null: checked. @returns false if the SDK must answer (invalid, unusual) */
  async call(exchange: Exchange, { id, method, params }: RpcRequest, admit: ((exchange: Exchange) => Promise<unknown>) | null): Promise<boolean> {
    const { name, arguments: given = {} } = params;
    const era = typeof name === 'string' && isObject(given) ? eraOf(exchange.request.headers, { id, method, params }, name) : null;
    if (era === null) return false;
    const tool = toolByName.get(name as string);
    if (tool === undefined) {
      await admit?.(exchange);
      exchange.code = 'bad_argument';
      exchange.answer(200, errorText(id, rpcCodes.invalidParams, unknownTool(name as string)));
      return true;
    }
    const { args, read } = readArguments(tool, given as Record<string, unknown>);
    if (mayWait(tool, args)) await this.#waits.run({ exchange, id, tool, args, read, token: progressTokenOf(params), era });
    else
      exchange.answer(200, responseText(id, resultText(await this.#calls.run({ exchange, tool, args, read, stepsUp: true, onAdmitted: null }), era)));
    return true;
  }

  list(exchange: Exchange, rpc: RpcRequest): boolean {
    const era = rpc.params['cursor'] === undefined ? eraOf(exchange.request.headers, rpc) : null;
    if (era === null) return false;
    exchange.answer(200, responseText(rpc.id, toolsResult[era]));
    return true;
  }
}

const legacyRevisions: ReadonlySet<string> = new Set(SUPPORTED_PROTOCOL_VERSIONS);

/** Null for all but the exact form of an era: the SDK serves or rejects those. @param name expected `Mcp-Name` header, if the method needs one */
export function eraOf(headers: IncomingHttpHeaders, { method, params }: RpcRequest, name?: string): Era | null {
  const version = headers['mcp-protocol-version'];
  const meta = metaOf(params);
  if (!(PROTOCOL_VERSION_META_KEY in meta)) {
    if (version !== undefined && !legacyRevisions.has(version as string)) return null;
    return headers.accept?.includes('application/json') === true && takesStreams(headers) ? 'legacy' : null;
  }
  const headersMatch = version === newestRevision && headers['mcp-method'] === method && (name === undefined || headers['mcp-name'] === name);
  const metaMatches =
    meta[PROTOCOL_VERSION_META_KEY] === newestRevision && isObject(meta[CLIENT_CAPABILITIES_META_KEY]) && isNamed(meta[CLIENT_INFO_META_KEY]);
  return headersMatch && metaMatches ? 'modern' : null;
}

function isNamed(info: unknown): boolean {
  return isObject(info) && typeof info['name'] === 'string' && typeof info['version'] === 'string';
}

/** Reads a small body, which has robot and cost of the call, before its key is admitted: the call then needs one admission, not two. */
const smallBytesMax = 65_536;
const earlyMs = 250;

interface Body {
  body: unknown;
  error: Error | null;
}

export function settled(reading: Promise<unknown>): Promise<Body> {
  return reading.then(
    (body) => ({ body, error: null }),
    (error: Error) => ({ body: null, error }),
  );
}

/** Starts to read a small body and waits briefly for it. Returns whether it arrived completely in that time; null for a body to read after admission. */
export async function smallBody(exchange: Exchange, bodies: JsonBodies): Promise<{ arriving: Promise<Body>; early: boolean } | null> {
  const { request } = exchange;
  const { expect, 'content-length': length } = request.headers;
  if (expect !== undefined || length === undefined || Number(length) > smallBytesMax) return null;
  // After this, a body that arrived in one piece with its headers is readable.
  await Promise.resolve();
  const reading = bodies.readUnadmitted(exchange, Number(length));
  if (reading === null) return null;
  const arriving = settled(reading);
  if (request.complete) return { arriving, early: true };
  const first = await withinMs(arriving, earlyMs, () => null);
  return { arriving, early: first !== null };
}
