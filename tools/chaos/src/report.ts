import type { Call, Ending } from './history/records.js';
import type { RoundPlan } from './schedule.js';

export interface ReportedViolation {
  guarantee: string;
  round: number;
  seed: string;
  /** Joined with `+`. */
  fault: string;
  what: string;
  /** Times in ms since the round began. */
  excerpt: readonly string[];
}

export interface RoundReport {
  round: number;
  redis: 'single' | 'cluster';
  faults: readonly string[];
  injected: readonly string[];
  calls: number;
  /** `ok`; `answered`, `timed_out` and `replaced` for waits; the code of a failure; `broken`; `hung-up`. */
  outcomes: Readonly<Record<string, number>>;
  commands: number;
  events: number;
  messages: number;
  ms: number;
  steps: Readonly<Record<string, number>>;
  violations: readonly ReportedViolation[];
  failure: string | null;
}

export interface Report {
  seed: string;
  rounds: number;
  faults: Readonly<Record<string, number>>;
  missing: readonly string[];
  calls: number;
  outcomes: Readonly<Record<string, number>>;
  commands: number;
  events: number;
  messages: number;
  violations: readonly ReportedViolation[];
  failures: readonly { round: number; fault: string; why: string }[];
  ms: number;
  /** ms, summed over all systems. */
  steps: Readonly<Record<string, number>>;
  /** Share of the time in which this machine had work, 0 to 1. */
  stolen: number;
  /** ISO 8601. */
  at: string;
}

export function roundNotStarted({ round, redis, faults }: RoundPlan, failure: string): RoundReport {
  const kinds = faults.map(({ kind }) => kind);
  return {
    round,
    redis,
    faults: kinds,
    injected: [],
    calls: 0,
    outcomes: {},
    commands: 0,
    events: 0,
    messages: 0,
    ms: 0,
    steps: {},
    violations: [],
    failure,
  };
}

export function reportOf({
  seed,
  kinds,
  rounds,
  ms,
  stolen,
}: {
  seed: string;
  kinds: readonly string[];
  rounds: readonly RoundReport[];
  ms: number;
  stolen: number;
}): Report {
  const faults = counted(rounds.filter(({ failure }) => failure === null).flatMap((round) => round.faults.map((kind) => [kind, 1] as const)));
  const sum = (count: (round: RoundReport) => number): number => rounds.reduce((total, round) => total + count(round), 0);
  return {
    seed,
    rounds: rounds.length,
    faults,
    missing: kinds.filter((kind) => faults[kind] === undefined),
    calls: sum(({ calls }) => calls),
    outcomes: counted(rounds.flatMap(({ outcomes }) => Object.entries(outcomes))),
    commands: sum(({ commands }) => commands),
    events: sum(({ events }) => events),
    messages: sum(({ messages }) => messages),
    violations: rounds.flatMap(({ violations }) => violations),
    failures: rounds.flatMap(({ round, faults: kinds, failure }) => (failure === null ? [] : [{ round, fault: kinds.join('+'), why: failure }])),
    ms: Math.round(ms),
    steps: counted(rounds.flatMap(({ steps }) => Object.entries(steps))),
    stolen,
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

const toldFromShare = 0.05;
const toldFromMs = 1000;

export function lineOf({ round, redis, faults, injected, calls, events, messages, ms, steps, violations, failure }: RoundReport): string {
  const what = injected.length === 0 ? '' : ` (${injected.join('; ')})`;
  const found = failure === null ? `${violations.length} violations` : `FAILED: ${failure}`;
  const longest = Object.entries(steps).filter(([, stepMs]) => stepMs >= toldFromMs);
  const mostly = longest.length === 0 ? '' : ` (${longest.map(([step, stepMs]) => `${step} ${(stepMs / 1000).toFixed(1)}`).join(', ')})`;
  return `round ${round} ${redis} ${faults.join('+')}${what}: ${calls} calls, ${events} events, ${messages} messages, ${(ms / 1000).toFixed(1)} s${mostly}, ${found}`;
}

export function summaryOf({ seed, rounds, faults, missing, calls, commands, events, messages, violations, failures, ms, stolen }: Report): string {
  const kinds = Object.keys(faults).length;
  const each = rounds === 0 ? '' : ` (${(ms / 1000 / rounds).toFixed(1)} s each)`;
  const lines = [
    `seed ${seed}: ${rounds} rounds in ${(ms / 60_000).toFixed(1)} min${each}, ${kinds} of ${kinds + missing.length} kinds of faults, ${calls} calls, ${commands} commands, ${events} events, ${messages} messages, ${violations.length} violations`,
    ...(stolen < toldFromShare
      ? []
      : [`CPU steal: the host gave ${Math.round(100 * stolen)} % of the time in which the processors had work to other machines`]),
    ...(missing.length === 0 ? [] : [`never ran: ${missing.join(', ')}`]),
    ...violations.map(({ round, guarantee, what }) => `  round ${round}: ${guarantee}: ${what}`),
    ...failures.map(({ round, why }) => `  round ${round} could not be completed: ${why}`),
  ];
  return `${lines.join('\n')}\n`;
}

export const interruptedCode = 130;

export function exitCodeOf({ violations, failures }: Report, interrupted: boolean): number {
  if (violations.length > 0) return 1;
  if (interrupted) return interruptedCode;
  return failures.length > 0 ? 2 : 0;
}
