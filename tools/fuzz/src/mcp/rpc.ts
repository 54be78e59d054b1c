import { parsed } from '../answer-problems.js';

export const eras = ['legacy', 'modern'] as const;
export type Era = (typeof eras)[number];

/** Its requests each declare their revision. */
export const newest = '2026-07-28';

const prefix = 'io.modelcontextprotocol/';
const client = { name: 'fuzz', version: '1.0.0' };

export const claim: Readonly<Record<string, unknown>> = {
  [`${prefix}protocolVersion`]: newest,
  [`${prefix}clientInfo`]: client,
  [`${prefix}clientCapabilities`]: {},
};

export const rpcHeaders: Readonly<Record<string, string>> = { accept: 'application/json, text/event-stream' };

export function callHeaders(era: Era, tool: string): Record<string, string> {
  if (era === 'legacy') return { ...rpcHeaders };
  return { ...rpcHeaders, 'mcp-protocol-version': newest, 'mcp-method': 'tools/call', 'mcp-name': tool };
}

/** @param params JSON @param more further members, with a leading comma */
export function callMessage(id: number | string, method: string, params: string, more: string): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"method":${JSON.stringify(method)},"params":${params}${more}}`;
}

export function toolCall(era: Era, id: number | string, tool: string, args: string): string {
  const meta = era === 'legacy' ? '' : `,"_meta":${JSON.stringify(claim)}`;
  return callMessage(id, 'tools/call', `{"name":${JSON.stringify(tool)},"arguments":${args}${meta}}`, '');
}

/** From JSON or the last event of a stream; null if there is none. */
export function messageIn({ headers, text }: { headers: Readonly<Record<string, string>>; text: string }): Record<string, unknown> | null {
  if (headers['content-type']?.startsWith('text/event-stream') !== true) return parsed(text);
  const data = text
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .at(-1);
  return data === undefined ? null : parsed(data.slice(6));
}
