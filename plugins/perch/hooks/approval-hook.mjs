/**
 * A hook for coding agents, without dependencies: asks the person at the robot for permission. Reads a `PermissionRequest` or `PreToolUse` event (JSON)
 * from standard input and writes the decision to standard output. A long command is turned on pages. Without PERCH_API_KEY it decides nothing, and the
 * agent asks at the keyboard; with one, everything except a tap on Allow denies, as in examples/approval-hook.mjs: no answer in time (PERCH_ASK_SECONDS,
 * default 110), a newer question or a stop, an offline robot, a command that cannot be read whole on the pages, an error.
 */
import process from 'node:process';
import { text } from 'node:stream/consumers';

const { PERCH_BASE_URL: baseUrl = 'http://127.0.0.1:8080', PERCH_API_KEY: apiKey, PERCH_ROBOT: robotId, PERCH_ASK_SECONDS } = process.env;
const seconds = Number(PERCH_ASK_SECONDS ?? 110);

if (apiKey) {
  let event = null;
  let denied;
  try {
    event = JSON.parse(await text(process.stdin));
    denied = await denialOf(event);
  } catch (error) {
    denied = `The question could not be asked: ${error.cause?.message ?? error.message}`;
  }
  process.stdout.write(`${JSON.stringify({ hookSpecificOutput: decision(event?.hook_event_name, denied) })}\n`);
}

/** Asks the person. Returns why the action is denied, or null if it is allowed. */
async function denialOf({ tool_name: tool, tool_input: input }) {
  if (typeof tool !== 'string') throw new Error('the event names no tool');
  const robot = robotId ?? (await call('GET', 'robots')).robots[0]?.id;
  if (robot === undefined) throw new Error('the key has no robots');
  const question = `${tool}: ${inputText(input)}`;
  const asked = { question, answers: ['Allow', 'Deny'], whole: true, overflow: 'pages', timeout_s: seconds };
  const { outcome, answer } = await call('POST', `robots/${encodeURIComponent(robot)}/ask`, asked);
  if (outcome === 'answered') return answer === 'Allow' ? null : 'The person at the robot said no.';
  return outcome === 'timed_out' ? 'No one answered at the robot.' : 'A newer question or a stop ended this one at the robot.';
}

/** The connection is closed at the end of the time, which removes the question. */
async function call(method, path, body) {
  const response = await fetch(`${baseUrl.replace(/\/+$/, '')}/v1/${path}`, {
    method,
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: body && JSON.stringify(body),
    signal: AbortSignal.timeout(seconds * 1000 + 5000),
  });
  const answer = await response.json();
  if (answer.ok === false || !response.ok) throw new Error(answer.error ?? `status ${response.status}`);
  return answer;
}

function inputText(input) {
  return String(input?.command ?? input?.file_path ?? input?.url ?? JSON.stringify(input ?? {}));
}

function decision(hookEventName, denied) {
  if (hookEventName === 'PermissionRequest') {
    return { hookEventName, decision: denied === null ? { behavior: 'allow' } : { behavior: 'deny', message: denied } };
  }
  const permissionDecisionReason = denied ?? 'The person at the robot allowed it.';
  return { hookEventName: 'PreToolUse', permissionDecision: denied === null ? 'allow' : 'deny', permissionDecisionReason };
}
