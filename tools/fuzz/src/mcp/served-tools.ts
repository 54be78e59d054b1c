import { examplesAt, compiler, type OpenApi, type ServedAction } from '../served.js';
import type { Schema } from '../generate/probes.js';
import { isRecord } from '../generate/json.js';
import { verdictOf, type OwnCommands, type Verdict } from '../verdicts.js';
import { callMessage, messageIn, rpcHeaders } from './rpc.js';

export interface ListedTool {
  name: string;
  inputSchema: Schema;
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

/** With the same rules as actions; `robot_list` has no action. Calls of `robot_group` have those of another tool inside, and are not made. */
export function toolsOf(tools: readonly ListedTool[], actions: readonly ServedAction[], openApi: OpenApi): ServedAction[] {
  const compile = compiler();
  return tools
    .filter(({ name }) => name !== 'robot_group')
    .map(({ name: tool, inputSchema }) => {
      const name = tool.replace(/^robot_/, '');
      return {
        name,
        args: inputSchema,
        examples: examplesAt(openApi, `/v1/robots/{robot}/${name}`),
        fits: compile(inputSchema),
        // A state is short unless it is asked for whole, and robot_list has no action.
        answerFits:
          (name === 'state' ? undefined : actions.find((action) => action.name === name)?.answerFits) ??
          compile({ type: 'object', required: ['ok'] }),
        steps: actions.find((action) => action.name === name)?.steps ?? null,
      };
    });
}

/** The protocol rejects the arguments. */
export type ToolVerdict = Verdict | { kind: 'no call' };

/** @param robots of the key; several, so that a call must name one */
export function verdictOfTool(tool: ServedAction, text: string, own: OwnCommands, robots: ReadonlySet<string>): ToolVerdict {
  const args: unknown = JSON.parse(text);
  if (!isRecord(args)) return { kind: 'no call' };
  const verdict = verdictOf(tool, text, own);
  // None of the waits that are sent exists.
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
