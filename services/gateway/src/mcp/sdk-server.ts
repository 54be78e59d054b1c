/** Serves what has no fast path: version negotiation, discovery, notifications and errors. One SDK server per request. */
import {
  createMcpHandler,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ListToolsResult,
  type McpHttpHandler,
  type McpRequestContext,
  type GetPromptResult,
  type ListPromptsResult,
} from '@modelcontextprotocol/server';
import type { Logger } from '@perch/runtime';
import { isObject, limits } from '@perch/schema';
import type { Exchange } from '../http/exchange.js';
import { asRequest, errorText, rpcCodes, type RpcRequest, instructions, serverInfo, toolByName, toolsCache, toolsResult } from './message.js';
import { readArguments } from './read-arguments.js';
import type { Resources } from './resources.js';
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

/** Prompts that people choose in their client: how an agent asks for an approval at the robot, and how it shows what it is doing. */
const argumentCharsMax = 2000;

interface Prompt {
  name: string;
  title: string;
  description: string;
  arguments: { name: string; description: string; required: boolean }[];
  text: (given: Readonly<Record<string, string>>) => string;
}

const robotArgument = { name: 'robot', description: 'Id or name of the robot; may be omitted if there is one.', required: false };
const robotOf = ({ robot = '' }: Readonly<Record<string, string>>): string => (robot === '' ? '' : ` (robot ${JSON.stringify(robot)})`);

const prompts: readonly Prompt[] = [
  {
    name: 'ask-before-acting',
    title: 'Ask before acting',
    description: 'Ask the person at the robot for an approval, and act only after a yes.',
    arguments: [{ name: 'action', description: 'What needs the approval, such as: delete the branch.', required: true }, robotArgument],
    text: (given) => `Get an approval from the person at the robot${robotOf(given)} before you do this: ${given['action']}

1. Call robot_state. If the robot is offline, say so and do not act.
2. Call robot_ask with a short question that names exactly what will be done and to what, the answers ["Yes", "No"], "deny": 1, "whole": true and "timeout_s": ${limits.wait.timeoutSMax}. If it is refused as not_whole, shorten the question or add "overflow": "pages".
3. Act only if "answer" is "Yes". "No", timed_out, replaced and an error are no approval: do not act, do not ask again, and report it.
4. An approval covers only what the question named. Ask again for anything else.
5. When it is done, show the outcome for a moment with robot_say.`,
  },
  {
    name: 'status-card',
    title: 'Show a status card',
    description: 'Keep a card on the robot that shows what you are working on and how far you are.',
    arguments: [{ name: 'task', description: 'The work to show.', required: true }, robotArgument],
    text: (given) => `While you work on this, show on the robot${robotOf(given)} how far you are: ${given['task']}

1. Call robot_show with "title": the task in one or two words, "text": the current step in a few words, and "progress": 0 to 1 if you can tell.
2. Show a new card when a step ends, not more often than every ten seconds. Use "color": "blue" while you work, "orange" while you wait for a person, "red" for a failure.
3. Do not move the head or play sounds for single steps.
4. At the end show the result with "color": "green" and a robot_sound with the chime "done"; when the person has seen it, or after a minute, remove the card with "clear": true.
5. If the robot is offline, go on without it.`,
  },
];

function listPrompts(): ListPromptsResult {
  return { prompts: prompts.map(({ name, title, description, arguments: given }) => ({ name, title, description, arguments: given })) };
}

/** @throws {ProtocolError} invalid params: an unknown prompt, a missing or too long argument */
function getPrompt(name: string, given: Readonly<Record<string, string>>): GetPromptResult {
  const prompt = prompts.find((each) => each.name === name);
  if (prompt === undefined) throw invalid(`Unknown prompt: ${name.slice(0, 60)}. There are ${prompts.map((each) => each.name).join(', ')}.`);
  const values: Record<string, string> = {};
  for (const argument of prompt.arguments) {
    const value = Object.hasOwn(given, argument.name) ? given[argument.name]! : '';
    if (argument.required && value.trim() === '') throw invalid(`${argument.name}: is required but missing`);
    if (value.length > argumentCharsMax) throw invalid(`${argument.name}: at most ${argumentCharsMax} characters`);
    values[argument.name] = value;
  }
  return { description: prompt.description, messages: [{ role: 'user', content: { type: 'text', text: prompt.text(values) } }] };
}

function invalid(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
