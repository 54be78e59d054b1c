/**
 * A hook for coding agents, without dependencies: asks the person at the robot for permission. Reads a `PermissionRequest` or `PreToolUse` event (JSON)
 * from standard input and writes the decision to standard output. The robot shows the whole input of the tool, on pages (question-text.mjs). An input
 * that it cannot show whole is left to the keyboard, and so is every event without a key. Of what was asked, everything except a tap on Allow denies: no
 * answer in time (PERCH_ASK_SECONDS, default 110), a newer question or a stop, an offline robot, an error.
 */
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { AtTheKeyboard, questionText } from './question-text.mjs';

const { PERCH_BASE_URL: baseUrl = 'http://127.0.0.1:8080', PERCH_ROBOT: robotId, PERCH_ASK_SECONDS } = process.env;
const apiKey = process.env.PERCH_APPROVAL_KEY || process.env.PERCH_API_KEY;
const seconds = Number(PERCH_ASK_SECONDS ?? 110);

let event = null;
let output;
try {
  event = JSON.parse(await text(process.stdin));
  if (!apiKey) throw new AtTheKeyboard('PERCH_APPROVAL_KEY is not set');
  if (!process.env.PERCH_APPROVAL_KEY)
    warn('PERCH_APPROVAL_KEY is not set: the hook asks with PERCH_API_KEY, with which the tools of the agent ask, too.');
  output = decided(await denialOf(questionText(event)));
} catch (error) {
  output =
    error instanceof AtTheKeyboard ? undecided(error.message) : decided(`The question could not be asked: ${error.cause?.message ?? error.message}`);
}
if (output !== null) process.stdout.write(`${JSON.stringify({ hookSpecificOutput: output })}\n`);

/** Asks the person. Returns why the action is denied, or null if it is allowed. @throws {AtTheKeyboard} the robot cannot show the question whole */
async function denialOf(question) {
  const robot = robotId || (await firstRobot());
  const { outcome, answer } = await ask(`robots/${encodeURIComponent(robot)}/ask`, question);
  if (outcome === 'answered') return answer === 'Allow' ? null : 'The person at the robot said no.';
  return outcome === 'timed_out' ? 'No one answered at the robot.' : 'A newer question or a stop ended this one at the robot.';
}

/** A key with the scope `approve` alone may not list robots. */
async function firstRobot() {
  const answer = await call('GET', 'robots');
  if (answer.code === 'scope_missing') throw new Error('PERCH_ROBOT is not set, and the key may not list its robots');
  const { robots } = checked(answer);
  if (robots.length === 0) throw new Error('the key has no robots');
  return robots[0].id;
}

async function ask(path, question) {
  const asked = { question, answers: ['Allow', 'Deny'], whole: true, overflow: 'pages', timeout_s: seconds };
  let answer = await call('POST', path, { ...asked, deny: 1 });
  // A service of 0.10 knows no `deny`, and did nothing.
  if (answer.code === 'bad_argument' && answer.field === 'deny') answer = await call('POST', path, asked);
  if (answer.code === 'not_whole') throw new AtTheKeyboard(answer.error);
  return checked(answer);
}

/** The connection is closed at the end of the time, which removes the question. */
async function call(method, path, body) {
  const response = await fetch(`${baseUrl.replace(/\/+$/, '')}/v1/${path}`, {
    method,
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: body && JSON.stringify(body),
    signal: AbortSignal.timeout(seconds * 1000 + 5000),
  });
  return { ok: response.ok, error: `status ${response.status}`, ...(await response.json()) };
}

function checked(answer) {
  if (answer.ok !== true) throw new Error(answer.error);
  return answer;
}

function decided(denied) {
  const hookEventName = event?.hook_event_name;
  if (hookEventName === 'PermissionRequest') {
    return { hookEventName, decision: denied === null ? { behavior: 'allow' } : { behavior: 'deny', message: denied } };
  }
  const permissionDecisionReason = denied ?? 'The person at the robot allowed it.';
  return { hookEventName: 'PreToolUse', permissionDecision: denied === null ? 'allow' : 'deny', permissionDecisionReason };
}

/** Leaves the decision to the keyboard. Codex, whose events have `turn_id`, runs a tool for which a `PreToolUse` hook answers `ask`. */
function undecided(why) {
  if (event?.hook_event_name === 'PermissionRequest') {
    warn(`This is asked at the keyboard: ${why}`);
    return null;
  }
  if (typeof event?.turn_id === 'string') return decided(`The robot did not ask: ${why}`);
  return { hookEventName: 'PreToolUse', permissionDecision: 'ask', permissionDecisionReason: `The robot did not ask: ${why}` };
}

function warn(message) {
  process.stderr.write(`perch: ${message}\n`);
}
