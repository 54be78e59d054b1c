/** Changed arguments in both eras. A failure names argument and next step; text equals structured content, which fits the output schema. */
import { errorCodes, type ErrorCode } from '@perch/schema';
import { drive, type Problem } from '../drive.js';
import { arbitraryOf, bodyOf, shuffled, subjectOf, systematic, type Sent } from '../generate/subjects.js';
import { HttpClient } from '../http/http-client.js';
import { callHeaders, eras, messageIn, toolCall } from '../mcp/rpc.js';
import { toolProblem } from '../mcp/rpc-problems.js';
import { servedTools, verdictOfTool } from '../mcp/served-tools.js';
import type { Answer } from '../answer-problems.js';
import { mayBeHeld } from '../verdicts.js';
import { ownCommands, servedActions, servedOpenApi } from '../served.js';
import { secret } from '../fuzz-system.js';
import type { Attack, Target } from './target.js';

export const mcpCalls: Target = { name: 'mcp-calls', group: 'mcp', share: 0.12, attack: attackTools };

const inFlight = 32;
const hangUpMs = 700;

async function attackTools({ system, tally, seed, requests, log }: Attack): Promise<null> {
  const key = system.keys[0]!;
  const base = system.gateway();
  const robots = new Set(system.robots.map(({ id }) => id));
  const tools = await servedTools(base, key, await servedActions(base, key), await servedOpenApi(base, key));
  // robot_list has no such argument.
  const subjects = tools.map((tool, i) =>
    subjectOf(tool, tool.args.properties?.['robot'] === undefined ? {} : { robot: system.robots[i % system.robots.length]!.id }),
  );
  const own = await ownCommands(base, key, system.robots[0]!.id);
  const client = new HttpClient(base);
  const each = systematic(subjects);
  log(`mcp-calls: ${Math.min(each.length, requests)} single changes of ${each.length}, then ${Math.max(0, requests - each.length)} at random`);
  let id = 0;

  async function send(sent: Sent): Promise<Problem | null> {
    const { served, text, what } = bodyOf(subjects, sent);
    const verdict = verdictOfTool(served, text, own, robots);
    const call = { id: ++id, era: eras[id % eras.length]! };
    const tool = `robot_${served.name}`;
    const body = toolCall(call.era, call.id, tool, text);
    const held = verdict.kind === 'either' || (verdict.kind !== 'no call' && mayBeHeld(verdict, hangUpMs));
    const answer = await client.call({ path: '/mcp', key: system.nextKey(), headers: callHeaders(call.era, tool), body }, held ? hangUpMs : null);
    tally.sent('mcp-calls');
    if (answer === null) {
      tally.answered('mcp-calls', 'held until we hung up');
      return null;
    }
    tally.answered('mcp-calls', endOf(answer), answer.tookMs, `${tool}, ${what}`);
    const problem = toolProblem(served, verdict, call, answer, secret);
    if (problem === null) return null;
    return { what: `${tool} (${call.era}), ${what}: ${problem}`, request: `POST /mcp ${body}`, answer: `${answer.status} ${answer.text}` };
  }

  try {
    await drive({ target: 'mcp-calls', arbitrary: arbitraryOf(subjects), first: shuffled(each, seed), count: requests, seed, inFlight, send, tally });
  } finally {
    await client.close();
  }
  return null;
}

/** `200`, or the status the failure has over HTTP, and its code. */
function endOf(answer: Answer): string {
  const { result, error } = (messageIn(answer) ?? {}) as { result?: { isError?: boolean }; error?: { code: number } };
  if (error !== undefined) return `${answer.status} ${error.code}`;
  const code = result?.isError === true ? /\\"code\\":\\"(\w+)/.exec(answer.text)?.[1] : undefined;
  return code === undefined ? String(answer.status) : `${errorCodes[code as ErrorCode]?.status} ${code}`;
}
