/**
 * A hook for coding agents: the agent asks for permission, the person at the robot taps. Reads a `PermissionRequest` or `PreToolUse` event
 * (JSON) from standard input and writes the decision to standard output. Whatever is not a tap on Allow is a deny: no answer in time
 * (PERCH_ASK_SECONDS, default 50), a newer question, an offline robot, an error.
 */
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { theRobot } from './robot.mjs';

const seconds = Number(process.env.PERCH_ASK_SECONDS ?? 50);
const shownChars = 120;

let event = null;
let denied;
try {
  event = JSON.parse(await text(process.stdin));
  denied = await whyNot(event);
} catch (error) {
  denied = `Nobody could be asked: ${error.message}`;
}
process.stdout.write(`${JSON.stringify({ hookSpecificOutput: decision(event?.hook_event_name, denied) })}\n`);

/** Null where the person allowed it. */
async function whyNot({ tool_name: tool, tool_input: input }) {
  if (typeof tool !== 'string') throw new Error('the event names no tool');
  const signal = AbortSignal.timeout(seconds * 1000 + 5000);
  const robot = await theRobot();
  const { outcome, answer } = await robot.ask({ question: `${tool}: ${shown(input)}`, answers: ['Allow', 'Deny'], timeout_s: seconds }, { signal });
  if (outcome === 'answered') return answer === 'Allow' ? null : 'The person at the robot said no.';
  return outcome === 'timed_out' ? 'Nobody answered at the robot.' : 'Something newer was asked at the robot.';
}

/** What is to be done, as far as the screen can tell it; what is left out is said. */
function shown(input) {
  const whole = [...String(input?.command ?? input?.file_path ?? input?.url ?? JSON.stringify(input ?? {}))];
  const left = whole.length - shownChars;
  return left > 0 ? `${whole.slice(0, shownChars).join('')} … and ${left} more characters` : whole.join('');
}

function decision(hookEventName, denied) {
  if (hookEventName === 'PermissionRequest') {
    return { hookEventName, decision: denied === null ? { behavior: 'allow' } : { behavior: 'deny', message: denied } };
  }
  const permissionDecisionReason = denied ?? 'The person at the robot allowed it.';
  return { hookEventName: 'PreToolUse', permissionDecision: denied === null ? 'allow' : 'deny', permissionDecisionReason };
}
