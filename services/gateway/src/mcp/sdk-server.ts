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
import { isObject } from '@perch/schema';
import type { Exchange } from '../http/exchange.js';
import { asRequest, errorText, rpcCodes, type RpcRequest } from './message.js';
import { getPrompt, listPrompts } from './prompts.js';
import { readArguments } from './read-arguments.js';
import type { Resources } from './resources/resources.js';
import { instructions, serverInfo, toolByName, toolsCache, toolsResult } from './server-info.js';
import type { ToolCalls } from './tool-calls.js';
import { resultObject } from './tool-result.js';

export class SdkServer {
  readonly #handler: McpHttpHandler;
  readonly #calls: ToolCalls;
  readonly #resources: Resources;

  constructor(calls: ToolCalls, resources: Resources, log: Logger) {
    this.#calls = calls;
    this.#resources = resources;
    this.#handler = createMcpHandler((context) => this.#server(context), {
      onerror: (error) => log.debug({ err: error }, 'a request to /mcp was rejected'),
      maxSubscriptions: 0,
    });
  }

  async answer(exchange: Exchange, body: unknown): Promise<void> {
    const asked = asRequest(body);
    const problem = asked === null ? null : paramsProblem(asked);
    if (problem !== null) return exchange.answer(200, errorText(asked!.id, rpcCodes.invalidParams, `Invalid params: ${problem}.`));
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

  #server({ authInfo, era }: McpRequestContext): Server {
    const exchange = authInfo?.extra?.['exchange'] as Exchange;
    // Clients of 2025 cannot subscribe: their notifications would need a session.
    const capabilities = { tools: {}, prompts: {}, resources: era === 'modern' ? { subscribe: true } : {} };
    const cacheHints = { 'tools/list': toolsCache, 'prompts/list': toolsCache, 'resources/templates/list': toolsCache };
    const server = new Server(serverInfo, { capabilities, instructions, cacheHints });
    server.setRequestHandler('tools/list', () => JSON.parse(toolsResult.legacy) as ListToolsResult);
    server.setRequestHandler('tools/call', async ({ params: { name, arguments: given = {} } }) => {
      const tool = toolByName.get(name);
      if (tool === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, unknownTool(name));
      return resultObject(await this.#calls.run({ exchange, tool, ...readArguments(tool, given), onAdmitted: null }));
    });
    server.setRequestHandler('resources/list', ({ params }) => this.#resources.list(exchange, params?.cursor));
    server.setRequestHandler('resources/templates/list', () => this.#resources.templates());
    server.setRequestHandler('resources/read', ({ params }) => this.#resources.read(exchange, params.uri));
    server.setRequestHandler('prompts/list', () => listPrompts());
    server.setRequestHandler('prompts/get', ({ params: { name, arguments: given = {} } }) => getPrompt(name, given));
    return server;
  }
}

/** The SDK would answer -32603 with the list of its schema. */
function paramsProblem({ method, params }: RpcRequest): string | null {
  const field = method === 'prompts/get' ? 'name' : method === 'resources/read' ? 'uri' : null;
  if (field === null) return null;
  if (typeof params[field] !== 'string') return `${field} is required, a text`;
  const { arguments: given = {} } = params;
  const isTexts = isObject(given) && Object.values(given).every((value) => typeof value === 'string');
  return method === 'prompts/get' && !isTexts ? 'arguments must be an object of texts' : null;
}

export function unknownTool(name: string): string {
  return `Unknown tool: ${name.slice(0, 60)}. There are ${[...toolByName.keys()].join(', ')}.`;
}
