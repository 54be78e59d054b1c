/** A wait ends once, in one way and for a reason: replaced by another wait, or timed out when its time was over. */
import type { Call } from '../history/records.js';
import { answeredWith, callText, endedByRevocation, groupBy, violationOf, type Evidence, type Guarantee, type Violation } from './evidence.js';

const name = 'a wait ends once, and for a reason';

/** Instances map their clocks to Redis' time with an error, ms. */
const earlyMs = 60;
/** Simultaneous calls on two gateways may get their numbers in reverse order, ms. */
const crossingMs = 300;

export const waits: Guarantee = {
  name,
  promise:
    'A wait is answered, timed out or replaced: timed out not before timeout_s, or expires_s if nobody saw it in the queue; replaced only by another wait of the same robot, never by one of the queue.',
  check({ history }) {
    const calls = history.calls.filter(({ asked }) => asked.kind === 'wait');
    return [...groupBy(calls, ({ robot }) => robot).values()].flatMap((own) => own.flatMap((call) => problemOf(call, own, history)));
  },
};

function problemOf(call: Call, own: readonly Call[], history: Evidence['history']): Violation[] {
  const answer = answeredWith(call);
  if (answer?.status !== 200 || call.asked.kind !== 'wait') return [];
  const { outcome, timed_out: timedOut, replaced, index, queued } = answer.body;
  const { timeoutMs, expiresMs } = call.asked;
  const problem = (what: string): Violation[] => [
    violationOf(name, `${callText(call)}: ${what}`, { robot: call.robot, at: call.at, to: call.endedAt ?? call.at }),
  ];
  if (timedOut !== (outcome === 'timed_out') || replaced !== (outcome === 'replaced') || (index === null) === (outcome === 'answered'))
    return problem('it says that it ended in two ways');
  if (queued === true && (expiresMs === undefined || outcome === 'answered')) return problem('it says that it was in the queue');
  const ownMs = queued === true ? expiresMs! : timeoutMs;
  if (outcome === 'timed_out' && (call.endedAt ?? 0) - call.at < ownMs - earlyMs) return problem(`timed out too early: its time was ${ownMs} ms`);
  if (outcome === 'replaced' && !own.some((other) => other !== call && mayReplace(other, call, history))) return problem('there was no other wait');
  return [];
}

function mayReplace(other: Call, call: Call, history: Evidence['history']): boolean {
  if (other.asked.kind === 'wait' && other.asked.expiresMs !== undefined) return false;
  const answer = answeredWith(other);
  // It was refused before it opened.
  if (answer !== null && answer.status >= 400 && answer.status < 500 && !endedByRevocation(history, other)) return false;
  const mayContinue = other.ending?.how !== 'answered';
  const until = mayContinue ? other.at + other.withinMs : (other.endedAt ?? Infinity);
  return other.at <= (call.endedAt ?? Infinity) && until >= call.at - crossingMs;
}
