import { parsed } from '../answer-problems.js';

export const eras = ['legacy', 'modern'] as const;
export type Era = (typeof eras)[number];

/** The first revision whose requests each declare it. */
export const newest = '2026-07-28';

const prefix = 'io.modelcontextprotocol/';
const client = { name: 'fuzz', version: '1.0.0' };

/** Metadata of each request of the newest revision. */
export const claim: Readonly<Record<string, unknown>> = {
  [`${prefix}protocolVersion`]: newest,
  [`${prefix}clientInfo`]: client,
  [`${prefix}clientCapabilities`]: {},
};

/** Headers of every request of either era. */
export const rpcHeaders: Readonly<Record<string, string>> = { accept: 'application/json, text/event-stream' };

/** Returns the headers of a tool call. */
export function callHeaders(era: Era, tool: string): Record<string, string> {
  if (era === 'legacy') return { ...rpcHeaders };
  return { ...rpcHeaders, 'mcp-protocol-version': newest, 'mcp-method': 'tools/call', 'mcp-name': tool };
}

/** Returns a request as JSON text. @param params JSON; @param more further members of the message, with a leading comma */
export function callMessage(id: number | string, method: string, params: string, more: string): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"method":${JSON.stringify(method)},"params":${params}${more}}`;
}

/** Returns a tool call. @param args JSON, verbatim */
export function toolCall(era: Era, id: number | string, tool: string, args: string): string {
  const meta = era === 'legacy' ? '' : `,"_meta":${JSON.stringify(claim)}`;
  return callMessage(id, 'tools/call', `{"name":${JSON.stringify(tool)},"arguments":${args}${meta}}`, '');
}

/** Returns the message of an answer, from JSON or the last event of a stream; null if there is none. */
export function messageIn({ headers, text }: { headers: Readonly<Record<string, string>>; text: string }): Record<string, unknown> | null {
  if (headers['content-type']?.startsWith('text/event-stream') !== true) return parsed(text);
  const data = text
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .at(-1);
  return data === undefined ? null : parsed(data.slice(6));
}
