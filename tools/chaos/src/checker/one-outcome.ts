/** An Idempotency-Key identifies one call: every repetition, through any gateway, receives the same outcome. */
import { canonical, type Call } from '../history/records.js';
import { didNothing } from '../programs/did-nothing.js';
import { keyedCalls } from './attempts.js';
import { answeredWith, callText, violationOf, within, type Evidence, type Guarantee, type Violation } from './evidence.js';

const name = 'one outcome under one Idempotency-Key';

export const oneOutcome: Guarantee = {
  name,
  promise:
    'Repeating a call under its Idempotency-Key, through any gateway, returns the same outcome, or that the outcome is unknown; unless nothing was done, or Redis lost it.',
  check(evidence) {
    return keyedCalls(evidence.history).flatMap((attempts) => [...differing(attempts, evidence), ...refused(attempts)]);
  },
};

function differing(attempts: readonly Call[], { loss }: Evidence): Violation[] {
  const answered = attempts.flatMap((call) => {
    const outcome = outcomeOf(call);
    return outcome === null ? [] : [{ call, outcome }];
  });
  const [first] = answered;
  const other = answered.find(({ outcome }) => outcome !== first?.outcome);
  if (first === undefined || other === undefined) return [];
  const { robot, at, key } = first.call;
  const to = Math.max(...answered.map(({ call }) => call.endedAt ?? call.at));
  if (within(loss, at, to)) return [];
  return [violationOf(name, `${key}: ${callText(first.call)}, and ${callText(other.call)}`, { robot, at, to })];
}

/** Null: unknown, or nothing was done. */
function outcomeOf(call: Call): string | null {
  const answer = answeredWith(call);
  if (answer === null || didNothing({ how: 'answered', ...answer }) || answer.body['code'] === 'outcome_unknown') return null;
  const { request_id: _, error: __, ...outcome } = answer.body;
  return canonical(outcome);
}

/** The programs never send different arguments under one key. */
function refused(attempts: readonly Call[]): Violation[] {
  return attempts
    .filter((call) => answeredWith(call)?.body['field'] === 'Idempotency-Key')
    .map((call) => violationOf(name, `${call.key}: ${callText(call)}`, { robot: call.robot, at: call.at, to: call.endedAt ?? call.at }));
}
