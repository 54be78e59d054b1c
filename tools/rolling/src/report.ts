/** The report of a run, and what of it a person reads. */
import type { ServiceName } from '@perch/launcher';
import type { Manner } from './fleet/place.js';

export interface PhaseReport {
  /** Versions. */
  from: string;
  to: string;
  /** Services in the order in which they were replaced. */
  order: readonly ServiceName[];
  manner: Manner;
  calls: number;
  /** Calls that did not succeed. */
  failed: number;
  /** By error code or connection error. */
  failures: Readonly<Record<string, number>>;
  /** Commands that were acknowledged and never reached the robot, and events or messages that are missing. */
  lost: number;
  doubled: number;
  out_of_order: number;
  /** Waits that were held, and those of them that failed. */
  waits: number;
  waits_broken: number;
  sounds: number;
  sounds_broken: number;
  /** Times that a robot was without a session. */
  moves: number;
  away_p99_ms: number;
  away_max_ms: number;
  /** Robots per robot-link at the end. */
  sessions: readonly number[];
  /** From the last replacement until the robots were spread evenly. */
  even_after_s: number;
  seconds: number;
  /** Everything that did not hold, one sentence each. */
  violations: readonly string[];
}

export interface RunReport {
  seed: string;
  robots: number;
  phases: readonly PhaseReport[];
  /** Why the run ended before its last phase, or null. */
  failure: string | null;
  seconds: number;
}

/** A robot may be without a session this long when its robot-link is replaced, ms. */
export const awayMaxMs = 2000;
const shownMax = 10;

export function holds(phase: PhaseReport): boolean {
  const { failed, lost, doubled, out_of_order: disordered, waits_broken: waits, sounds_broken: sounds, violations } = phase;
  return failed + lost + doubled + disordered + waits + sounds + violations.length === 0 && phase.away_p99_ms < awayMaxMs;
}

/** 0: everything held; 1: a guarantee was broken; 2: the run did not come to its end. */
export function exitCodeOf({ phases, failure }: RunReport): number {
  if (phases.some((phase) => !holds(phase))) return 1;
  return failure === null && phases.length > 0 ? 0 : 2;
}

export function summaryOf(report: RunReport): string {
  const lines = report.phases.flatMap((phase, i) => [
    `${i + 1}. ${phase.from} -> ${phase.to}, ${phase.order.join(', ')}, ${phase.manner}: ${holds(phase) ? 'held' : 'BROKEN'}`,
    `   ${phase.calls} calls, ${phase.failed} failed${failuresText(phase)}; ${phase.lost} lost, ${phase.doubled} doubled, ${phase.out_of_order} out of order`,
    `   ${phase.waits} waits, ${phase.waits_broken} broken; ${phase.sounds} sounds, ${phase.sounds_broken} broken`,
    `   ${phase.moves} moves of robots, away p99 ${phase.away_p99_ms} ms, most ${phase.away_max_ms} ms; robots per robot-link ${phase.sessions.join(' and ')}, even after ${phase.even_after_s} s`,
    ...phase.violations.slice(0, shownMax).map((what) => `   - ${what}`),
    ...(phase.violations.length > shownMax ? [`   and ${phase.violations.length - shownMax} more`] : []),
  ]);
  const end = report.failure === null ? [] : [`The run ended early: ${report.failure}`];
  const held = report.phases.filter(holds).length;
  return [...lines, ...end, `${held} of ${report.phases.length} phases held, ${report.seconds} s`, ''].join('\n');
}

function failuresText({ failures }: PhaseReport): string {
  const kinds = Object.entries(failures);
  return kinds.length === 0 ? '' : ` (${kinds.map(([kind, count]) => `${kind} ${count}`).join(', ')})`;
}
