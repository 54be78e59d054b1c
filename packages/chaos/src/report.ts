/** What a run found, as `--json` writes it. */
import type { Call, Ending } from './history/records.js';

export interface ReportedViolation {
  guarantee: string;
  round: number;
  seed: string;
  /** Kinds of the round's faults, with `+` between. */
  fault: string;
  what: string;
  /** The history around it, times in ms since the round began. */
  excerpt: readonly string[];
}

export interface RoundReport {
  round: number;
  redis: 'single' | 'cluster';
  faults: readonly string[];
  /** Who, what. */
  injected: readonly string[];
  calls: number;
  /** How they ended: `ok`, `answered`, `timed_out` and `replaced` of waits, the code of a failure, `broken`, `hung-up`. */
  outcomes: Readonly<Record<string, number>>;
  commands: number;
  events: number;
  ms: number;
  violations: readonly ReportedViolation[];
  /** Why it could not be run to its end; null: it was. */
  failure: string | null;
}

export interface Report {
  seed: string;
  rounds: number;
  faults: Readonly<Record<string, number>>;
  calls: number;
  outcomes: Readonly<Record<string, number>>;
  commands: number;
  events: number;
  violations: readonly ReportedViolation[];
  /** Rounds that could not be run to their end, and why. */
  failures: readonly { round: number; fault: string; why: string }[];
  ms: number;
  /** ISO 8601. */
  at: string;
}

export function reportOf(seed: string, rounds: readonly RoundReport[], ms: number): Report {
  const faults = counted(rounds.flatMap((round) => round.faults.map((kind) => [kind, 1] as const)));
  const sum = (count: (round: RoundReport) => number): number => rounds.reduce((total, round) => total + count(round), 0);
  return {
    seed,
    rounds: rounds.length,
    faults,
    calls: sum(({ calls }) => calls),
    outcomes: counted(rounds.flatMap(({ outcomes }) => Object.entries(outcomes))),
    commands: sum(({ commands }) => commands),
    events: sum(({ events }) => events),
    violations: rounds.flatMap(({ violations }) => violations),
    failures: rounds.flatMap(({ round, faults: kinds, failure }) => (failure === null ? [] : [{ round, fault: kinds.join('+'), why: failure }])),
    ms: Math.round(ms),
    at: new Date().toISOString(),
  };
}

export function outcomesOf(calls: readonly Call[]): Record<string, number> {
  return counted(calls.map(({ ending }) => [outcomeOf(ending), 1] as const));
}

function outcomeOf(ending: Ending | null): string {
  if (ending?.how !== 'answered') return ending?.how ?? 'unanswered';
  return String(ending.status === 200 ? (ending.body['outcome'] ?? 'ok') : ending.body['code']);
}

function counted(entries: readonly (readonly [string, number])[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const [name, count] of entries) counts[name] = (counts[name] ?? 0) + count;
  return counts;
}

/** A round in a line for the person who watches. */
export function lineOf({ round, redis, faults, injected, calls, events, ms, violations, failure }: RoundReport): string {
  const what = injected.length === 0 ? '' : ` (${injected.join('; ')})`;
  const found = failure === null ? `${violations.length} violations` : `FAILED: ${failure}`;
  return `round ${round} ${redis} ${faults.join('+')}${what}: ${calls} calls, ${events} events, ${ms} ms, ${found}`;
}
