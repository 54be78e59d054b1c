/**
 * A hook for coding agents: asks the person at the robot for permission. Reads a `PermissionRequest` or `PreToolUse` event (JSON) from standard
 * input and writes the decision to standard output. Everything except a tap on Allow denies: no answer in time (PERCH_ASK_SECONDS, default 50),
 * a newer question or a stop, an offline robot, a command that cannot be read whole on the screen, an error.
 */
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { theRobot } from './robot.mjs';

const seconds = Number(process.env.PERCH_ASK_SECONDS ?? 50);

let event = null;
let denied;
try {
  event = JSON.parse(await text(process.stdin));
  denied = await denialOf(event);
} catch (error) {
  denied = `The question could not be asked: ${error.message}`;
}
process.stdout.write(`${JSON.stringify({ hookSpecificOutput: decision(event?.hook_event_name, denied) })}\n`);

/** Asks the person. Returns why the action is denied, or null if it is allowed. */
async function denialOf({ tool_name: tool, tool_input: input }) {
  if (typeof tool !== 'string') throw new Error('the event names no tool');
  const signal = AbortSignal.timeout(seconds * 1000 + 5000);
  const robot = await theRobot();
  const question = `${tool}: ${inputText(input)}`;
  const { outcome, answer } = await robot.ask({ question, answers: ['Allow', 'Deny'], whole: true, timeout_s: seconds }, { signal });
  if (outcome === 'answered') return answer === 'Allow' ? null : 'The person at the robot said no.';
  return outcome === 'timed_out' ? 'No one answered at the robot.' : 'A newer question or a stop ended this one at the robot.';
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
