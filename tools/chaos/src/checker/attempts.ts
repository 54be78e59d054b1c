/** Calls under one Idempotency-Key are one call. */
import type { History } from '../history/history.js';
import type { Call } from '../history/records.js';
import { neverSent } from '../programs/did-nothing.js';
import { answeredWith, groupBy, isOk } from './evidence.js';

export function keyedCalls({ calls }: History): Call[][] {
  const keyed = calls.filter(({ key }) => key !== null);
  return [...groupBy(keyed, ({ account, key }) => `${account} ${key}`).values()];
}

/** Calls under one key become one that began with the first of them and ended with the outcome its program received. */
export function callsAsMeant(history: History): Call[] {
  return [...history.calls.filter(({ key }) => key === null), ...keyedCalls(history).map(asOne)];
}

function asOne(attempts: readonly Call[]): Call {
  const { at } = attempts[0]!;
  const ok = attempts.filter(isOk).toSorted((a, b) => (a.endedAt ?? 0) - (b.endedAt ?? 0))[0];
  if (ok !== undefined) return { ...ok, at };
  const codeOf = (call: Call): string => String(answeredWith(call)?.body['code']);
  // A call whose answer was lost may have been done. Of the others, the most informative answer counts.
  const lost = attempts.find(({ ending }) => ending?.how !== 'answered');
  const unknown = attempts.find((call) => codeOf(call) === 'outcome_unknown');
  const chosen = lost ?? unknown ?? attempts.find((call) => !neverSent.has(codeOf(call))) ?? attempts.at(-1)!;
  const ends = attempts.map(({ endedAt }) => endedAt ?? Infinity);
  return { ...chosen, at, endedAt: chosen.endedAt === null ? null : Math.max(...ends) };
}
