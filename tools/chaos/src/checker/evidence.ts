/** The evidence that guarantees are checked against: the history of a round, and when each instance was healthy. */
import type { History } from '../history/history.js';
import type { Call } from '../history/records.js';
import type { Span, Track } from '../system/spans.js';

export interface InstanceHealth {
  readonly running: Track;
  readonly reachable: Track;
  readonly served: Track;
}

export interface Evidence {
  readonly history: History;
  readonly gateways: ReadonlyMap<string, InstanceHealth>;
  readonly links: ReadonlyMap<string, InstanceHealth>;
  readonly senders: ReadonlyMap<string, InstanceHealth>;
  /** Time in which Redis itself may have lost acknowledged writes; null: it lost nothing. */
  readonly loss: Span | null;
  /** Whether another Redis process became master in the round: then event numbers may jump. */
  readonly renumbered: boolean;
  /** Longest delay of timers on this machine between two times, ms: delays up to that are not the service's. */
  readonly stallMs: (from: number, to: number) => number;
  /** Total time between two times in which this machine did not run processes with work to do, ms. */
  readonly waitedMs: (from: number, to: number) => number;
}

/**
 * Returns what the machine may add to the duration of a call, ms. A call passes through several processes: on a machine with occasional delays two of
 * them are affected, on one with constant delays all.
 */
export function machineMs({ stallMs, waitedMs }: Pick<Evidence, 'stallMs' | 'waitedMs'>, from: number, to: number): number {
  return Math.max(2 * stallMs(from, to), waitedMs(from, to));
}

export interface Violation {
  readonly guarantee: string;
  readonly what: string;
  readonly robot: string | null;
  readonly from: number;
  readonly to: number;
  /** Harm to a command, an event or a message; absent if the violation is about something else. */
  readonly harm?: Harm;
}

export type Harm = 'lost' | 'doubled' | 'out of order';

export interface Guarantee {
  readonly name: string;
  readonly promise: string;
  check(evidence: Evidence): Violation[];
}

/** How far an excerpt reaches before and after a violation, ms. */
const aroundMs = 400;

export function violationOf(guarantee: string, what: string, about: { robot: string | null; at: number; to?: number }, harm?: Harm): Violation {
  const where = { robot: about.robot, from: about.at - aroundMs, to: (about.to ?? about.at) + aroundMs };
  return { guarantee, what, ...where, ...(harm === undefined ? {} : { harm }) };
}

export function answeredWith({ ending }: Call): { status: number; body: Readonly<Record<string, unknown>> } | null {
  return ending?.how === 'answered' ? ending : null;
}

/** Returns whether the call may have begun to act before it was answered 401, because its key was revoked after it began. */
export function endedByRevocation({ revocations }: History, call: Call): boolean {
  return answeredWith(call)?.status === 401 && revocations.some(({ apiKey, at }) => apiKey === call.apiKey && at >= call.at);
}

export function isOk(call: Call): boolean {
  return answeredWith(call)?.status === 200;
}

export function callText({ id, action, robot, gateway, ending }: Call): string {
  const how =
    ending?.how === 'answered'
      ? `${ending.status} ${JSON.stringify(ending.body).slice(0, 160)}`
      : ending?.how === 'broken'
        ? ending.error
        : (ending?.how ?? 'unanswered');
  return `call ${id}, ${action} of ${robot || 'the account'} through ${gateway} (${how})`;
}

export function groupBy<T>(list: readonly T[], key: (each: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const each of list) {
    const name = key(each);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [each]);
    else group.push(each);
  }
  return groups;
}

export function within(span: Span | null, from: number, to: number): boolean {
  return span !== null && to >= span.from && from <= span.to;
}
