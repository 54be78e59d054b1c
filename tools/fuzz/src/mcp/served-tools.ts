import { examplesAt, compiler, type OpenApi, type ServedAction } from '../served.js';
import type { Schema } from '../generate/probes.js';
import { isRecord } from '../generate/json.js';
import { verdictOf, type OwnCommands, type Verdict } from '../verdicts.js';
import { callMessage, messageIn, rpcHeaders } from './rpc.js';

export interface ListedTool {
  name: string;
  inputSchema: Schema;
}

/** docs/agents.md: an optional argument that is null or empty is left out, and JSON as text is read where no text is taken. */
function asRead({ args: { properties = {}, required = [] } }: ServedAction, sent: Record<string, unknown>): Record<string, unknown> {
  const read = Object.entries(sent).flatMap(([name, value]): [string, unknown][] => {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (schema === undefined) return [[name, value]];
    if ((value === null || value === '') && !required.includes(name)) return [];
    const types = [schema, ...(schema.anyOf ?? [])].flatMap(({ type }) => type ?? []);
    if (typeof value !== 'string' || types.length === 0 || types.includes('string')) return [[name, value]];
    const meant = /^(?:True|False)$/.test(value.trim()) ? value.trim() === 'True' : jsonIn(value);
    const type = Array.isArray(meant) ? 'array' : meant === null ? 'null' : typeof meant;
    const fits = types.includes(type) || (type === 'number' && types.includes('integer') && Number.isInteger(meant));
    return [[name, fits ? meant : value]];
  });
  return Object.fromEntries(read);
}

function written(args: Record<string, unknown>): string {
  try {
    return JSON.stringify(args);
  } catch {
    return '{"too deep":true}';
  }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export async function servedTools(base: string, apiKey: string, actions: readonly ServedAction[], openApi: OpenApi): Promise<ServedAction[]> {
  const response = await fetch(`${base}/mcp`, {
    method: 'POST',
    headers: { ...rpcHeaders, 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
    body: callMessage(1, 'tools/list', '{}', ''),
    signal: AbortSignal.timeout(10_000),
  });
  const message = messageIn({ headers: Object.fromEntries(response.headers), text: await response.text() });
  const result = message?.['result'] as { tools: ListedTool[] } | undefined;
  if (result === undefined) throw new Error(`tools/list answers ${response.status} without a result`);
  const { tools } = result;
  return toolsOf(tools, actions, openApi);
}

/**
 * With the same rules as actions, whose schemas have more bounds than those of tools; `robot_list` has no action, and the pattern of its labels is that
 * over HTTP. Calls of `robot_group` have those of another tool inside, and are not made.
 */
export function toolsOf(tools: readonly ListedTool[], actions: readonly ServedAction[], openApi: OpenApi): ServedAction[] {
  const compile = compiler();
  const labels = openApi.paths['/v1/robots']?.get?.parameters?.find(({ name }) => name === 'label')?.schema;
  return tools
    .filter(({ name }) => name !== 'robot_group')
    .map(({ name: tool, inputSchema }) => {
      const name = tool.replace(/^robot_/, '');
      return {
        name,
        args: inputSchema,
        examples: examplesAt(openApi, `/v1/robots/{robot}/${name}`),
        fits: compile(boundsOf(inputSchema, name === 'list' ? { label: labels } : actions.find((action) => action.name === name)?.args.properties)),
        // A state is short unless it is asked for whole, and robot_list has no action.
        answerFits:
          (name === 'state' ? undefined : actions.find((action) => action.name === name)?.answerFits) ??
          compile({ type: 'object', required: ['ok'] }),
        steps: actions.find((action) => action.name === name)?.steps ?? null,
      };
    });
}

function boundsOf(listed: Schema, own: Schema['properties'] | { label: Schema | undefined } = {}): Schema {
  const known = Object.entries(own).filter((entry): entry is [string, Schema] => entry[1] !== undefined);
  return { ...listed, properties: { ...listed.properties, ...Object.fromEntries(known) } };
}

/** `no call`: the protocol rejects the arguments. `either`: taken, or refused. */
export type ToolVerdict = Verdict | { kind: 'no call' } | { kind: 'either'; codes: readonly string[] };

/** @param robots of the key; several, so that a call must name one */
export function verdictOfTool(tool: ServedAction, text: string, own: OwnCommands, robots: ReadonlySet<string>): ToolVerdict {
  const sent: unknown = JSON.parse(text) ?? {};
  if (!isRecord(sent)) return { kind: 'no call' };
  const args = asRead(tool, sent);
  const isAsSent = Object.keys(sent).every((name) => Object.hasOwn(args, name) && args[name] === sent[name]);
  // Deep nesting is parsed, but not written.
  const verdict = verdictOf(tool, isAsSent && JSON.parse(text) !== null ? text : written(args), own);
  // None of the waits that are sent exists, but the key may have asked something.
  if (tool.name === 'answer' && args['wait'] === undefined && verdict.kind === 'taken') return { kind: 'either', codes: ['not_found'] };
  if (tool.name === 'answer') return verdict.kind === 'refused' ? verdict : { kind: 'refused', codes: ['not_found'], fields: [''] };
  const { robot } = args;
  // The owner of the robot is checked first.
  if (typeof robot === 'string' && !robots.has(robot)) {
    return { kind: 'refused', codes: ['unknown_robot', ...(tool.name === 'list' ? ['bad_argument'] : [])], fields: ['', 'robot'] };
  }
  if (tool.name === 'list' || typeof robot === 'string') return verdict;
  const others = verdict.kind === 'refused' ? verdict : { codes: [], fields: [] };
  return { kind: 'refused', codes: ['bad_argument', ...others.codes], fields: ['robot', ...others.fields] };
}
