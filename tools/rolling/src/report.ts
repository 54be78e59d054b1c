import type { ServiceName } from '@perch/launcher';
import type { Manner } from './fleet/instance-slot.js';

export interface PhaseReport {
  from: string;
  to: string;
  order: readonly ServiceName[];
  manner: Manner;
  calls: number;
  failed: number;
  /** By error code or connection error. */
  failures: Readonly<Record<string, number>>;
  /** Calls that ended as `service_unavailable` because the machine did not run Redis. */
  excused: number;
  /** Acknowledged commands that never reached the robot, and missing events or messages. */
  lost: number;
  doubled: number;
  out_of_order: number;
  waits: number;
  waits_broken: number;
  sounds: number;
  sounds_broken: number;
  moves: number;
  away_p99_ms: number;
  away_max_ms: number;
  sessions: readonly number[];
  /** Seconds from the last replacement until the robots were spread evenly over the robot-links. */
  even_after_s: number;
  seconds: number;
  violations: readonly string[];
}

export interface RunReport {
  seed: string;
  /** The machine did other work: how long robots were away broke nothing. */
  busy?: boolean;
  robots: number;
  phases: readonly PhaseReport[];
  /** Null: the run completed. */
  failure: string | null;
  seconds: number;
}

/** Maximum time without a session for a robot whose robot-link is replaced, ms. */
export const awayMaxMs = 2000;
const shownMax = 10;

export function holds(phase: PhaseReport, busy = false): boolean {
  return isUnbroken(phase) && (busy || phase.away_p99_ms < awayMaxMs);
}

/** Everything that `holds` asks for but the time that robots were away, which says nothing on a busy machine. */
export function isUnbroken({
  failed,
  lost,
  doubled,
  out_of_order: disordered,
  waits_broken: waits,
  sounds_broken: sounds,
  violations,
}: PhaseReport): boolean {
  return failed + lost + doubled + disordered + waits + sounds + violations.length === 0;
}

/** 0 if everything held, 1 if a guarantee was violated, 2 if the run did not complete. */
export function exitCodeOf({ phases, failure, busy }: RunReport): number {
  if (phases.some((phase) => !holds(phase, busy))) return 1;
  return failure === null && phases.length > 0 ? 0 : 2;
}

export function summaryOf(report: RunReport): string {
  const lines = report.phases.flatMap((phase, i) => [
    `${i + 1}. ${phase.from} -> ${phase.to}, ${phase.order.join(', ')}, ${phase.manner}: ${holds(phase, report.busy) ? 'held' : 'BROKEN'}`,
    `   ${phase.calls} calls, ${phase.failed} failed${failuresText(phase)}${phase.excused === 0 ? '' : `, ${phase.excused} excused by slow storage`}; ${phase.lost} lost, ${phase.doubled} doubled, ${phase.out_of_order} out of order`,
    `   ${phase.waits} waits, ${phase.waits_broken} broken; ${phase.sounds} sounds, ${phase.sounds_broken} broken`,
    `   ${phase.moves} moves of robots, away p99 ${phase.away_p99_ms} ms, most ${phase.away_max_ms} ms; robots per robot-link ${phase.sessions.join(' and ')}, even after ${phase.even_after_s} s`,
    ...phase.violations.slice(0, shownMax).map((what) => `   - ${what}`),
    ...(phase.violations.length > shownMax ? [`   and ${phase.violations.length - shownMax} more`] : []),
  ]);
  const end = report.failure === null ? [] : [`The run ended early: ${report.failure}`];
  const held = report.phases.filter((phase) => holds(phase, report.busy)).length;
  return [...lines, ...end, `${held} of ${report.phases.length} phases held, ${report.seconds} s`, ''].join('\n');
}

function failuresText({ failures }: PhaseReport): string {
  const kinds = Object.entries(failures);
  return kinds.length === 0 ? '' : ` (${kinds.map(([kind, count]) => `${kind} ${count}`).join(', ')})`;
}
