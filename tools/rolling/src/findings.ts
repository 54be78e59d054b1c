import type { Call, History, Track } from '@perch/chaos';

/** The load makes no call that a healthy service refuses. */
export function failedCalls({ calls }: Pick<History, 'calls'>): Call[] {
  return calls.filter(({ ending }) => ending?.how !== 'answered' || ending.status !== 200);
}

/** Storage that is slow without working explains that a gateway gave a step up, and no other failure. @param served impaired while storage is slow */
export function isExcused(call: Call, served: Pick<Track, 'throughout'>): boolean {
  return call.endedAt !== null && failureOf(call) === 'service_unavailable' && !served.throughout(call.at, call.endedAt);
}

/** Its error code, else its status, else the error of its connection. */
export function failureOf({ ending }: Call): string {
  if (ending === null) return 'no answer';
  if (ending.how === 'hung-up') return 'hung up';
  if (ending.how === 'broken') return ending.error;
  return typeof ending.body['code'] === 'string' ? ending.body['code'] : `status ${ending.status}`;
}

export interface Away {
  robot: string;
  ms: number;
}

/** One that did not return counts until `to`. */
export function awayTimes({ sessions }: Pick<History, 'sessions'>, from: number, to: number): Away[] {
  const times: Away[] = [];
  for (const robot of new Set(sessions.map((session) => session.robot))) {
    const own = sessions.filter((session) => session.robot === robot).toSorted((a, b) => a.at - b.at);
    for (const [i, { endedAt }] of own.entries()) {
      if (endedAt === null || endedAt < from || endedAt > to) continue;
      times.push({ robot, ms: Math.max(0, Math.min(own[i + 1]?.at ?? Infinity, to) - endedAt) });
    }
  }
  return times;
}

export function p99(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * 0.99) - 1)] ?? 0;
}

/** The greatest count is at most 1.25 times the smallest, plus 2. */
export function isEven(sessions: readonly number[]): boolean {
  return Math.max(...sessions) <= 1.25 * Math.min(...sessions) + 2;
}

/** From the first event received on the stream to the last in the log. */
export function streamProblems(
  robot: string,
  seqs: readonly number[],
  log: readonly number[],
): { what: string; harm: 'lost' | 'doubled' | 'out of order' }[] {
  const seen = new Set(seqs);
  const missing = log.filter((seq) => !seen.has(seq));
  const doubled = seqs.length - seen.size;
  const back = seqs.find((seq, i) => i > 0 && seq < seqs[i - 1]!);
  return [
    ...(missing.length === 0 ? [] : [{ what: `the stream of ${robot} did not bring ${missing.join(', ')}`, harm: 'lost' as const }]),
    ...(doubled === 0 ? [] : [{ what: `the stream of ${robot} brought ${doubled} events twice`, harm: 'doubled' as const }]),
    ...(back === undefined ? [] : [{ what: `the stream of ${robot} went back to ${back}`, harm: 'out of order' as const }]),
  ];
}
