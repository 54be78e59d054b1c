import { PerchError } from '@perch/client';
import { Refused } from './refused.js';

export const exitCodes = {
  done: { code: 0, meaning: 'success; for a question: answered' },
  failed: { code: 1, meaning: 'failed' },
  timedOut: { code: 2, meaning: 'no one answered the question in time' },
  replaced: { code: 3, meaning: 'a newer question, or a stop, ended the question' },
  offline: { code: 4, meaning: 'the robot is offline' },
  keyRefused: { code: 5, meaning: 'the API key is not valid, has no such robot, or lacks a scope' },
  unknown: { code: 6, meaning: 'outcome unknown: it may or may not have been done' },
  other: { code: 7, meaning: 'answered, but otherwise than --expect says' },
  usage: { code: 64, meaning: 'wrong usage' },
} as const;

export const exitCodesText = `Exit codes:\n${Object.values(exitCodes)
  .map(({ code, meaning }) => `  ${String(code).padEnd(3)} ${meaning}`)
  .join('\n')}`;

const ofError: Partial<Record<PerchError['code'], keyof typeof exitCodes>> = {
  bad_argument: 'usage',
  not_whole: 'usage',
  command_not_passed_on: 'usage',
  body_too_large: 'usage',
  unauthorized: 'keyRefused',
  scope_missing: 'keyRefused',
  unknown_robot: 'keyRefused',
  robot_offline: 'offline',
  internal: 'unknown',
  no_ack: 'unknown',
  outcome_unknown: 'unknown',
  no_answer: 'unknown',
  bad_answer: 'unknown',
};

/** Says on standard error why standard output has no answer, or another one, for a person who does not see the exit code. */
export function outcomeText(code: number): string | null {
  const { timedOut, replaced, other } = exitCodes;
  return [timedOut, replaced, other].find((each) => each.code === code)?.meaning ?? null;
}

export function exitCodeOf(error: unknown): number {
  if (error instanceof Refused) return exitCodes[error.kind].code;
  return exitCodes[error instanceof PerchError ? (ofError[error.code] ?? 'failed') : 'failed'].code;
}

/** A scene has the exit code of its last action. */
export function exitCodeOfAnswer(answer: object): number {
  const { outcome, results } = answer as { outcome?: unknown; results?: readonly object[] };
  if (results !== undefined && results.length > 0) return exitCodeOfAnswer(results.at(-1)!);
  if (outcome === 'timed_out') return exitCodes.timedOut.code;
  return outcome === 'replaced' ? exitCodes.replaced.code : exitCodes.done.code;
}
