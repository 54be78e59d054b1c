import type { IncomingHttpHeaders } from 'node:http';
import { isObject } from '@perch/schema';

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

export const rpcCodes = { parse: -32_700, invalidRequest: -32_600, noSuchMethod: -32_601, invalidParams: -32_602, refused: -32_000 };

export function asRequest(body: unknown): RpcRequest | null {
  if (!isObject(body) || body['jsonrpc'] !== '2.0') return null;
  const { id, method, params = {} } = body;
  const hasId = typeof id === 'string' || Number.isSafeInteger(id);
  return hasId && typeof method === 'string' && isObject(params) ? { id: id as RequestId, method, params } : null;
}

export function takesStreams(headers: IncomingHttpHeaders): boolean {
  return headers.accept?.includes('text/event-stream') === true;
}

export function progressTokenOf(params: Record<string, unknown>): RequestId | null {
  const token = metaOf(params)['progressToken'];
  return typeof token === 'string' || Number.isSafeInteger(token) ? (token as RequestId) : null;
}

export function responseText(id: RequestId, result: string): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`;
}

export function errorText(id: RequestId | null, code: number, message: string, data?: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } });
}

export function metaOf(params: Record<string, unknown>): Record<string, unknown> {
  const meta = params['_meta'];
  return isObject(meta) ? meta : {};
}
