/** What a guarantee is proved over: the history of a round, and what was well when. */
import type { History } from '../history/history.js';
import type { Call } from '../history/records.js';
import type { Span, Track } from '../system/spans.js';

/** An instance as the checker needs it. */
export interface Wellness {
  readonly running: Track;
  readonly reachable: Track;
  readonly served: Track;
}

export interface Evidence {
  readonly history: History;
  /** By place: `gateway-0`. */
  readonly gateways: ReadonlyMap<string, Wellness>;
  readonly links: ReadonlyMap<string, Wellness>;
  /** Those that send webhooks. */
  readonly senders: ReadonlyMap<string, Wellness>;
  /** In which Redis itself may have lost what it acknowledged; null: it lost nothing. */
  readonly loss: Span | null;
  /** Whether another Redis process took over in the round: then numbering may jump. */
  readonly renumbered: boolean;
  /** How much too late this machine let timers of this process be between, ms: what is late by no more is the machine's. */
  readonly stallMs: (from: number, to: number) => number;
  /** For how long of that time, all together, this machine did not run what was due, ms. */
  readonly waitedMs: (from: number, to: number) => number;
}

/** What the machine may add to a call between two times, ms. A call is one process' turn after another's: at a machine that is late now and then two of them are, at one that is late all the time all are. */
export function machineMs({ stallMs, waitedMs }: Pick<Evidence, 'stallMs' | 'waitedMs'>, from: number, to: number): number {
  return Math.max(2 * stallMs(from, to), waitedMs(from, to));
}

export interface Violation {
  /** Name of the guarantee that does not hold. */
  readonly guarantee: string;
  readonly what: string;
  /** Whom and when it is about; for the excerpt. */
  readonly robot: string | null;
  readonly from: number;
  readonly to: number;
  /** What became of a command, an event or a message; absent where it is about something else. */
  readonly harm?: Harm;
}

export type Harm = 'lost' | 'doubled' | 'out of order';

export interface Guarantee {
  readonly name: string;
  /** In a sentence, as the report has it. */
  readonly promise: string;
  check(evidence: Evidence): Violation[];
}

/** How far round a moment an excerpt reaches, ms. */
const aroundMs = 400;

export function violationOf(guarantee: string, what: string, about: { robot: string | null; at: number; to?: number }, harm?: Harm): Violation {
  const where = { robot: about.robot, from: about.at - aroundMs, to: (about.to ?? about.at) + aroundMs };
  return { guarantee, what, ...where, ...(harm === undefined ? {} : { harm }) };
}

/** Status and body of a call that was answered. */
export function answeredWith({ ending }: Call): { status: number; body: Readonly<Record<string, unknown>> } | null {
  return ending?.how === 'answered' ? ending : null;
}

/** Whether the call may have begun to act before it was answered 401: its key was revoked after it began. */
export function endedByRevocation({ revocations }: History, call: Call): boolean {
  return answeredWith(call)?.status === 401 && revocations.some(({ apiKey, at }) => apiKey === call.apiKey && at >= call.at);
}

export function isOk(call: Call): boolean {
  return answeredWith(call)?.status === 200;
}

/** A call in a few words. */
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

/** Whether a time lies in a span, give or take. */
export function within(span: Span | null, from: number, to: number): boolean {
  return span !== null && to >= span.from && from <= span.to;
}
