/** Requests to /mcp, as agents send them. */
import { newestRevision } from '../../src/mcp/message.js';
import type { Answer, GatewayUnderTest, Owner } from '../gateway-under-test.js';

const accept = 'application/json, text/event-stream';
const earlierRevision = { accept, 'mcp-protocol-version': '2025-06-18' };

export const newestMeta = {
  'io.modelcontextprotocol/protocolVersion': newestRevision,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

interface Sent {
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
}

/** Posts a message by an earlier revision of the protocol. */
export function postMessage(
  system: GatewayUnderTest,
  { apiKey }: Pick<Owner, 'apiKey'>,
  message: object,
  { headers = {}, signal }: Sent = {},
): Promise<Response> {
  return fetch(`${system.base}/mcp`, {
    method: 'POST',
    headers: { ...earlierRevision, authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    ...(signal && { signal }),
  });
}

/** Calls a tool by an earlier revision. @returns the message with the result, the last one of a stream */
export async function toolMessage(system: GatewayUnderTest, owner: Pick<Owner, 'apiKey'>, name: string, args: object): Promise<any> {
  const response = await postMessage(system, owner, { id: 1, method: 'tools/call', params: { name, arguments: args } });
  const text = await response.text();
  const last = text.split('\n').findLast((line) => line.startsWith('data: '));
  return JSON.parse(text.startsWith('{') ? text : last!.slice('data: '.length));
}

/** Posts a request by the newest revision. @param name of the tool, prompt or resource, for the header */
export function postRequest(
  system: GatewayUnderTest,
  owner: Owner,
  { method, params, name, signal }: { method: string; params: object; name?: string | undefined; signal?: AbortSignal | undefined },
): Promise<Response> {
  const headers = { 'mcp-protocol-version': newestRevision, 'mcp-method': method, ...(name !== undefined && { 'mcp-name': name }) };
  return postMessage(system, owner, { id: 'r-1', method, params: { ...params, _meta: newestMeta } }, { headers, signal });
}

export function callTool(system: GatewayUnderTest, { apiKey }: Pick<Owner, 'apiKey'>, name: string, args: object): Promise<Answer> {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
  return system.ask('POST', '/mcp', { apiKey, body, headers: earlierRevision });
}
