import type { IncomingHttpHeaders } from 'node:http';
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/server';

/** The revision in which each request states its own revision. */
export const newestRevision = '2026-07-28';

/** `modern`: each request states its revision. `legacy` (2025): `initialize` negotiates one, which a stateless server does not remember. */
export type Era = 'modern' | 'legacy';

export type RequestId = string | number;

export interface RpcRequest {
  id: RequestId;
  method: string;
  params: Record<string, unknown>;
}

const legacyRevisions: ReadonlySet<string> = new Set(SUPPORTED_PROTOCOL_VERSIONS);

export function asRequest(body: unknown): RpcRequest | null {
  if (!isObject(body) || body['jsonrpc'] !== '2.0') return null;
  const { id, method, params = {} } = body;
  const hasId = typeof id === 'string' || Number.isSafeInteger(id);
  return hasId && typeof method === 'string' && isObject(params) ? { id: id as RequestId, method, params } : null;
}

/**
 * Returns the era of a request that has the exact form that clients of that era send; null for all others, which the SDK serves or rejects.
 * @param name expected value of the `Mcp-Name` header, if the method requires one
 */
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

export function takesStreams(headers: IncomingHttpHeaders): boolean {
  return headers.accept?.includes('text/event-stream') === true;
}

/** Returns the token for progress notifications, or null if the client wants none. */
export function progressTokenOf(params: Record<string, unknown>): RequestId | null {
  const token = metaOf(params)['progressToken'];
  return typeof token === 'string' || Number.isSafeInteger(token) ? (token as RequestId) : null;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** @param result JSON */
export function responseText(id: RequestId, result: string): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`;
}

/** @param id null if the request could not be read @param data details beyond the code */
export function errorText(id: RequestId | null, code: number, message: string, data?: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } });
}

function metaOf(params: Record<string, unknown>): Record<string, unknown> {
  const meta = params['_meta'];
  return isObject(meta) ? meta : {};
}

function isNamed(info: unknown): boolean {
  return isObject(info) && typeof info['name'] === 'string' && typeof info['version'] === 'string';
}
