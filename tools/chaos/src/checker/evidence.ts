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
  /** Null: Redis lost nothing. */
  readonly loss: Span | null;
  /** Another Redis process became master: then event numbers may jump. */
  readonly renumbered: boolean;
  /** A robot-link of 0.10 may have held robots: at once, and however short, a touch answers there. */
  readonly anyTouchAnswers?: boolean;
  /** Longest delay of timers on this machine, ms: delays up to that are not the service's. */
  readonly stallMs: (from: number, to: number) => number;
  /** Time in which this machine did not run this process, or any with work to do, ms: programs, robots and proxies are in this one. */
  readonly waitedMs: (from: number, to: number) => number;
  /** Time in which an instance had work to do and no processor ran it, ms. */
  readonly queuedMs: (place: string, from: number, to: number) => number;
}

/** Time that the machine may add to a call through a gateway, ms. Occasional delays affect two processes of a call, constant ones all. */
export function machineMs({ stallMs, waitedMs, queuedMs }: Evidence, gateway: string, from: number, to: number): number {
  return Math.max(2 * stallMs(from, to), waitedMs(from, to), queuedMs(gateway, from, to));
}

export interface Violation {
  readonly guarantee: string;
  readonly what: string;
  readonly robot: string | null;
  readonly from: number;
  readonly to: number;
  /** Absent if the violation is not about a command, an event or a message. */
  readonly harm?: Harm;
}

export type Harm = 'lost' | 'doubled' | 'out of order';

export interface Guarantee {
  readonly name: string;
  readonly promise: string;
  check(evidence: Evidence): Violation[];
}

const aroundMs = 400;

export function violationOf(guarantee: string, what: string, about: { robot: string | null; at: number; to?: number }, harm?: Harm): Violation {
  const where = { robot: about.robot, from: about.at - aroundMs, to: (about.to ?? about.at) + aroundMs };
  return { guarantee, what, ...where, ...(harm === undefined ? {} : { harm }) };
}

export function answeredWith({ ending }: Call): { status: number; body: Readonly<Record<string, unknown>> } | null {
  return ending?.how === 'answered' ? ending : null;
}

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
