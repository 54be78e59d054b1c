/** Times are ms on `performance.now()` of the chaos process, which robots, programs and faults share. */

/** The request of a call, and how the checker recognises it at the robot. */
export type CallRequest =
  /** Arguments of the robot's command carry the mark, which is unique. */
  | { kind: 'marked'; mark: string }
  /** A command that cannot be told apart from others of its name. */
  | { kind: 'unmarked'; command: string }
  /** A card that enters the queue. Its answer says nothing about the robot. */
  | { kind: 'queued-card' }
  | AskedWait
  | { kind: 'read'; after: number; waitMs: number; names: readonly string[] | null; reader: string }
  | { kind: 'inspect' };

export interface AskedWait {
  kind: 'wait';
  action: 'ask' | 'menu' | 'clickmap';
  timeoutMs: number;
  answers: readonly string[];
  /** Returns the index of the answer that a touch gives; -1: none. */
  hits: (x: number, y: number) => number;
  /** The question must be read whole: a touch counts later. */
  approval?: true;
  /** How long the question may wait in the queue, ms; undefined: it replaces what shows. */
  expiresMs?: number;
}

export type Ending =
  | { how: 'answered'; status: number; body: Body }
  /** The connection was refused, or closed before a complete answer; `gaveUp`: by the client, which had waited long enough. */
  | { how: 'broken'; error: string; gaveUp?: true }
  | { how: 'hung-up' };

export type Body = Readonly<Record<string, unknown>>;

export interface Call {
  readonly id: number;
  readonly at: number;
  readonly account: string;
  readonly robot: string;
  readonly action: string;
  readonly gateway: string;
  readonly asked: CallRequest;
  readonly apiKey: string;
  /** Calls of an account under the same key are one call; null: none. */
  readonly key: string | null;
  readonly withinMs: number;
  endedAt: number | null;
  ending: Ending | null;
}

/** Once for each transmission. */
export interface Command {
  readonly at: number;
  readonly robot: string;
  readonly boot: string;
  readonly session: string;
  readonly id: string;
  readonly name: string;
  /** Null if the robot cannot see the mark. */
  readonly mark: string | null;
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

export interface Done {
  readonly at: number;
  readonly robot: string;
  readonly boot: string;
  readonly id: string;
  /** The robot's clock in its ack; null: this process knows it by messages alone. */
  readonly ms: number | null;
}

/** An action of a person, or something the sensors noticed. */
export interface Gesture {
  readonly at: number;
  readonly robot: string;
  readonly boot: string;
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly name: string;
  readonly data: string;
  /** No other gesture of the round becomes the same event. */
  readonly unique: boolean;
  /** `must`: it becomes an event or an answer. `may`: that depends on what came before. */
  readonly becomes: 'must' | 'may';
  /** The robot's clock as it began; null: this process knows it by messages alone. */
  readonly ms: number | null;
  /** Null: not a touch that a wait may take as its answer. */
  readonly touch: { readonly x: number; readonly y: number; readonly long: boolean; readonly short?: boolean } | null;
}

export interface InputAck {
  readonly at: number;
  readonly robot: string;
  readonly boot: string;
  readonly seq: number;
}

/** The robot may never have received a welcome. */
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

export interface Complaint {
  readonly at: number;
  readonly robot: string;
  readonly what: string;
}

/** Frames sent to the robot may arrive late or not at all. */
export interface Misbehaving {
  readonly robot: string;
  readonly kind: string;
  readonly from: number;
  to: number;
}

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
  readonly at: number;
  readonly name: string;
  readonly data: string;
}

export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`).join(',')}}`;
}

/** As `canonical`, without the note that a touch began too soon to answer the question that showed: a gesture cannot know that. */
export function canonicalEvent(data: unknown): string {
  if (typeof data !== 'object' || data === null) return canonical(data);
  const { early: _, ...others } = data as Body;
  return canonical(others);
}
