/** What a round's history is made of. Times are ms on `performance.now()` of the chaos process, which robots, programs and faults share. */

/** What a call asks for, and how the checker knows it again at the robot. */
export type Asked =
  /** A robot command follows whose arguments carry the mark: told apart from every other, one to one. */
  | { kind: 'marked'; mark: string }
  /** A robot command of this name follows that cannot be told from others of its kind. */
  | { kind: 'unmarked'; command: string }
  /** An ask, a menu or a clickmap. `hits` tells which answer a touch that began there gives; -1: none. */
  | { kind: 'wait'; action: 'ask' | 'menu' | 'clickmap'; timeoutMs: number; answers: readonly string[]; hits: (x: number, y: number) => number }
  /** The robot's events. */
  | { kind: 'read'; after: number; waitMs: number; names: readonly string[] | null; reader: string }
  /** The account's list, or a robot's state. */
  | { kind: 'look' };

/** How a call ended. */
export type Ending =
  | { how: 'answered'; status: number; body: Body }
  /** The connection was refused or broke off without a whole answer. */
  | { how: 'broken'; error: string }
  /** Its client hung up before there was an answer. */
  | { how: 'hung-up' };

/** JSON as it was answered; an object or nothing of use. */
export type Body = Readonly<Record<string, unknown>>;

export interface Call {
  readonly id: number;
  readonly at: number;
  readonly account: string;
  /** '' for a call that names none. */
  readonly robot: string;
  readonly action: string;
  /** `gateway-0`. */
  readonly gateway: string;
  readonly asked: Asked;
  /** Id of the API key it was made with. */
  readonly apiKey: string;
  /** Its Idempotency-Key: calls of an account under the same one are one; null: none. */
  readonly key: string | null;
  /** Within which the interface promises an answer, ms. */
  readonly withinMs: number;
  /** null while it is under way. */
  endedAt: number | null;
  ending: Ending | null;
}

/** A command as it came to a robot: once for each time it stood on the wire. */
export interface Command {
  readonly at: number;
  readonly robot: string;
  readonly boot: string;
  /** Of the connection it came by. */
  readonly session: string;
  readonly id: string;
  readonly name: string;
  /** What the call was marked with, or null where the robot cannot see it. */
  readonly mark: string | null;
  /** Of a picture: which layer, the id it goes by, and its checksum. */
  readonly picture: { readonly layer: string; readonly id: string; readonly crc32: number } | null;
}

/** An ack as it left a robot. */
export interface Ack {
  readonly at: number;
  readonly robot: string;
  readonly boot: string;
  readonly session: string;
  readonly id: string;
  readonly ok: boolean;
}

/** A robot has carried out a command, by its own clock; its ack may leave later. */
export interface Done {
  readonly at: number;
  readonly robot: string;
  readonly boot: string;
  readonly id: string;
}

/** Something a person did on purpose, or the robot's sensors noticed: one gesture of one or more inputs. */
export interface Gesture {
  readonly at: number;
  readonly robot: string;
  readonly boot: string;
  /** Its first and its last input. */
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** The event it becomes, unless it answers a wait. */
  readonly name: string;
  /** As `data` of the event will be, as JSON with sorted keys. */
  readonly data: string;
  /** No other gesture of the round becomes the same event. */
  readonly unique: boolean;
  /** `must`: it becomes an event or an answer. `may`: what came before decides, too. */
  readonly becomes: 'must' | 'may';
  /** Where on the screen it began, for a touch that a wait may take as its answer; else null. */
  readonly touch: { readonly x: number; readonly y: number; readonly long: boolean } | null;
}

/** The service said that everything up to `seq` is safe. */
export interface InputAck {
  readonly at: number;
  readonly robot: string;
  readonly boot: string;
  readonly seq: number;
}

/** A robot said hello. Whether it was welcomed it may never have heard: its line may be cut before. */
export interface Hello {
  readonly at: number;
  readonly robot: string;
}

export interface Session {
  readonly at: number;
  readonly robot: string;
  readonly boot: string;
  readonly session: string;
  /** `robot-link-0`. */
  readonly link: string;
  readonly reason: 'start' | 'restart' | 'reconnect';
  endedAt: number | null;
}

/** The robot said that the service broke the link's contract. */
export interface Complaint {
  readonly at: number;
  readonly robot: string;
  readonly what: string;
}

/** A stretch in which a robot did not behave: what it is told then may come late or not at all. */
export interface Misbehaving {
  readonly robot: string;
  readonly kind: string;
  readonly from: number;
  to: number;
}

/** Redis acknowledged that an API key is revoked. */
export interface Revocation {
  readonly at: number;
  readonly account: string;
  /** Id of the key. */
  readonly apiKey: string;
}

export interface RobotFacts {
  readonly id: string;
  readonly account: string;
}

/** An event as a reader was given it. */
export interface ReadEvent {
  readonly seq: number;
  /** When it happened, on the clock of the history. */
  readonly at: number;
  readonly name: string;
  readonly data: string;
}

/** JSON with sorted keys: equal data is equal text. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`).join(',')}}`;
}
