/** As the SDK's clients send it. */
import type { ActOptions } from './load.js';

type Revision = NonNullable<ActOptions['tool']>;

const claim = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const members: Record<Revision, string> = { '2025-11-25': '', '2026-07-28': `,"_meta":${JSON.stringify(claim)}` };

/** @param args JSON of an object with at least one argument */
export function toolCall(revision: Revision, id: number, name: string, robot: string, args: string): string {
  return `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"${name}","arguments":{"robot":"${robot}",${args.slice(1)}${members[revision]}}}`;
}

export function toolHeaders(revision: Revision, action: string): Record<string, string> {
  const headers = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': revision };
  return revision === '2025-11-25' ? headers : { ...headers, 'mcp-method': 'tools/call', 'mcp-name': `robot_${action}` };
}

/** @returns the whole answer of 2025-11-25; of 2026-07-28 all before what the server says of itself, its version included */
export function toolAnswer(revision: Revision, id: number, answer: string): string {
  const rest = revision === '2025-11-25' ? '}}' : ',"resultType":"complete","_meta":{';
  return `{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":${JSON.stringify(answer)}}],"structuredContent":${answer}${rest}`;
}
