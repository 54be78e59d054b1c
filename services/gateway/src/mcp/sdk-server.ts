/** Serves what has no fast path: version negotiation, discovery, notifications and errors. One SDK server per request. */
import {
  createMcpHandler,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ListToolsResult,
  type McpHttpHandler,
  type McpRequestContext,
} from '@modelcontextprotocol/server';
import type { Logger } from '@perch/runtime';
import type { Exchange } from '../http/exchange.js';
import { instructions, serverInfo, toolByName, toolsCache, toolsResult } from './server-info.js';
import type { ToolCalls } from './tool-calls.js';
import { resultObject } from './tool-result.js';

export class SdkServer {
  readonly #handler: McpHttpHandler;
  readonly #calls: ToolCalls;

  constructor(calls: ToolCalls, log: Logger) {
    this.#calls = calls;
    this.#handler = createMcpHandler((context) => this.#server(context), {
      onerror: (error) => log.debug({ err: error }, 'a request to /mcp was rejected'),
      maxSubscriptions: 0,
    });
  }

  async answer(exchange: Exchange, body: unknown): Promise<void> {
    const { headers } = exchange.request;
    const own = Object.entries(headers).filter(([name]) => name === 'accept' || name === 'content-type' || name.startsWith('mcp-'));
    const request = new Request('http://localhost/mcp', {
      method: 'POST',
      headers: own.map(([name, value]) => [name, String(value)]),
      signal: exchange.signal,
    });
    // Passes the exchange to the server that is created for this request: the SDK forwards `extra` unread.
    const authInfo = { token: '', clientId: '', scopes: [], extra: { exchange } };
    const response = await this.#handler.fetch(request, { parsedBody: body, authInfo });
    const allow = response.headers.get('allow');
    if (allow !== null) exchange.setHeader('allow', allow);
    exchange.answer(response.status, await response.text(), response.headers.get('content-type') ?? undefined);
  }

  #server({ authInfo }: McpRequestContext): Server {
    const exchange = authInfo?.extra?.['exchange'] as Exchange;
    const server = new Server(serverInfo, { capabilities: { tools: {} }, instructions, cacheHints: { 'tools/list': toolsCache } });
    server.setRequestHandler('tools/list', () => JSON.parse(toolsResult.legacy) as ListToolsResult);
    server.setRequestHandler('tools/call', async ({ params: { name, arguments: args = {}, _meta: meta } }) => {
      const tool = toolByName.get(name);
      if (tool === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, unknownTool(name));
      return resultObject(await this.#calls.run({ exchange, tool, args, progress: meta?.progressToken !== undefined, onAdmitted: null }));
    });
    return server;
  }
}

export function unknownTool(name: string): string {
  return `Unknown tool: ${name.slice(0, 60)}. There are ${[...toolByName.keys()].join(', ')}.`;
}
