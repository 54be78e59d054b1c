/** Records of a round's history. Times are ms on `performance.now()` of the chaos process, which robots, programs and faults share. */

/** The request of a call, and how the checker recognises it at the robot. */
export type Asked =
  /** A robot command follows whose arguments carry the mark, which is unique. */
  | { kind: 'marked'; mark: string }
  /** A robot command of this name follows that cannot be told apart from others of its name. */
  | { kind: 'unmarked'; command: string }
  /** An ask, a menu or a clickmap. `hits` returns the index of the answer that a touch at a point gives; -1: none. */
  | { kind: 'wait'; action: 'ask' | 'menu' | 'clickmap'; timeoutMs: number; answers: readonly string[]; hits: (x: number, y: number) => number }
  /** The robot's events. */
  | { kind: 'read'; after: number; waitMs: number; names: readonly string[] | null; reader: string }
  /** The account's robots, or a robot's state. */
  | { kind: 'inspect' };

export type Ending =
  | { how: 'answered'; status: number; body: Body }
  /** The connection was refused, or closed before a complete answer. */
  | { how: 'broken'; error: string }
  | { how: 'hung-up' };

/** JSON of an answer: an object, possibly empty. */
export type Body = Readonly<Record<string, unknown>>;

export interface Call {
  readonly id: number;
  readonly at: number;
  readonly account: string;
  readonly robot: string;
  readonly action: string;
  readonly gateway: string;
  readonly asked: Asked;
  readonly apiKey: string;
  /** Idempotency-Key: calls of an account under the same key are one call; null: none. */
  readonly key: string | null;
  /** Time in which the interface promises an answer, ms. */
  readonly withinMs: number;
  endedAt: number | null;
  ending: Ending | null;
}

/** A command received by a robot, once for each transmission. */
export interface Command {
  readonly at: number;
  readonly robot: string;
  readonly boot: string;
  /** Session of the connection that delivered it. */
  readonly session: string;
  readonly id: string;
  readonly name: string;
  /** The mark of its call, or null if the robot cannot see one. */
  readonly mark: string | null;
  /** The picture's layer, id and checksum. */
  readonly picture: { readonly layer: string; readonly id: string; readonly crc32: number } | null;
}

export interface Ack {
  readonly at: number;
  readonly robot: string;
  readonly boot: string;
  readonly session: string;
  readonly id: string;
  readonly ok: boolean;
}

/** Execution of a command, by the robot's own clock; the ack may leave later. */
export interface Done {
  readonly at: number;
  readonly robot: string;
  readonly boot: string;
  readonly id: string;
}

/** An action of a person, or something the robot's sensors noticed: one or more inputs. */
export interface Gesture {
  readonly at: number;
  readonly robot: string;
  readonly boot: string;
  /** Sequence numbers of its first and last input. */
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** The event it becomes, unless it answers a wait. */
  readonly name: string;
  /** `data` of the event, as JSON with sorted keys. */
  readonly data: string;
  /** No other gesture of the round becomes the same event. */
  readonly unique: boolean;
  /** `must`: it becomes an event or an answer. `may`: that depends on what came before. */
  readonly becomes: 'must' | 'may';
  /** Where on the screen it began, for a touch that a wait may take as its answer; else null. */
  readonly touch: { readonly x: number; readonly y: number; readonly long: boolean } | null;
}

/** The service acknowledged all inputs up to `seq`. */
export interface InputAck {
  readonly at: number;
  readonly robot: string;
  readonly boot: string;
  readonly seq: number;
}

/** A robot sent hello. It may never have received a welcome: the connection may have been cut before. */
export interface Hello {
  readonly at: number;
  readonly robot: string;
}

export interface Session {
  readonly at: number;
  readonly robot: string;
  readonly boot: string;
  readonly session: string;
  readonly link: string;
  readonly reason: 'start' | 'restart' | 'reconnect';
  endedAt: number | null;
}

/** A violation of the robot link protocol by the service, reported by the robot. */
export interface Complaint {
  readonly at: number;
  readonly robot: string;
  readonly what: string;
}

/** A time in which a robot misbehaved: frames sent to it may arrive late or not at all. */
export interface Misbehaving {
  readonly robot: string;
  readonly kind: string;
  readonly from: number;
  to: number;
}

/** Redis acknowledged the revocation of an API key. */
export interface Revocation {
  readonly at: number;
  readonly account: string;
  readonly apiKey: string;
}

export interface RobotFacts {
  readonly id: string;
  readonly account: string;
}

export interface ReadEvent {
  readonly seq: number;
  /** When it happened, on the history's clock. */
  readonly at: number;
  readonly name: string;
  readonly data: string;
}

/** Returns JSON with sorted keys: equal data gives equal text. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`).join(',')}}`;
}
