/**
 * The commands of one robot: at most 4 in flight, 32 more in line, written in the order in which they came.
 * A command is written at most once; how it ended is told exactly once.
 */
import { limits, nackCodes, type Ack, type Attachment, type ErrorCode, type SoundRef } from '@perch/schema';
import type { CommandSpan } from './command-span.js';

const { inFlightMax, queuedMax } = limits.link;
/** How long after a command's expiry its ack may still come, ms: the robot had begun it in time. */
const ackGraceMs = 1000;

export interface Command {
  name: string;
  args: Record<string, unknown>;
  attachments?: Attachment[];
  sound?: SoundRef;
  /** Redis time in ms; not written after it. */
  expires: number;
  requestId?: string;
  /** If it is traced. */
  span?: CommandSpan;
  /** Redis time in ms at which the call that it is the first command of arrived at its gateway. */
  arrivedAt?: number;
  /** Called the moment it is on the socket. */
  written?(): void;
  done(outcome: CommandOutcome): void;
}

export type CommandOutcome =
  /** `ms` is the robot's clock. */
  | { kind: 'ack'; ms: number; result: Record<string, unknown> }
  /** The robot said no, or nothing; or it was refused here. `end` for the metrics. */
  | { kind: 'nack'; code: ErrorCode; error: string; end: 'nack' | 'no_ack' | 'late' | 'unknown' | 'refused' }
  /** A second sound took its place before it began. */
  | { kind: 'replaced' }
  | { kind: 'media_missing'; hash: string }
  /** The session ended before it was written: it may be sent again elsewhere. */
  | { kind: 'unsent' };

/** The bytes that go with a command: a Buffer for each attachment; for a sound its first piece. */
export type Loaded = Buffer[];

/** What the queue needs of its session. */
export interface CommandPort {
  /** Redis time, ms. */
  now(): number;
  /** Reads what goes with the command. The hash of what is gone, else the bytes. @throws {StoreError} */
  load(command: Command): Promise<Loaded | { missing: string }>;
  /** Writes the command and what goes with it. A problem is told instead of writing anything. */
  write(command: Command, id: string, ttlMs: number, loaded: Loaded): { code: ErrorCode; error: string } | null;
  /** Called for each ack with ok, before the command is done. */
  commandAcked(command: Command, seconds: number, result: Record<string, unknown>): void;
  /** Called for each command, before it is done. */
  commandEnded(command: Command, outcome: CommandOutcome): void;
}

interface Waiting {
  command: Command;
  /** Written although the queue is held. */
  evenHeld: boolean;
  loaded: Loaded | { missing: string } | 'loading' | { failed: true } | null;
}

interface InFlight {
  command: Command;
  /** Redis time, ms. */
  sentAt: number;
  ackBy: number;
  /** Its outcome was told before its ack; it keeps its place, since the robot still has it. */
  told: boolean;
}

const nothing: Loaded = [];

export class CommandQueue {
  readonly #port: CommandPort;
  /** Ids are never used twice for a boot of the robot, which remembers the last 32: they begin with what is unique to the session. */
  readonly #idPrefix: string;
  #lastId = 0;
  #waiting: Waiting[] = [];
  readonly #inFlight = new Map<string, InFlight>();
  #holds = 0;
  #timer: NodeJS.Timeout | null = null;
  #draining = false;
  #ended = false;
  #whenQuiet: (() => void) | null = null;

  constructor(port: CommandPort, idPrefix: string) {
    this.#port = port;
    this.#idPrefix = idPrefix;
  }

  /** In line and in flight. */
  get size(): number {
    return this.#waiting.length + this.#inFlight.size;
  }

  /** @returns false when the line is full; then nothing is told to `done` */
  push(command: Command): boolean {
    const isFull = this.#waiting.length >= queuedMax;
    if (this.#ended || (this.#draining && isFull)) {
      this.#finish(command, { kind: 'unsent' });
      return true;
    }
    if (isFull) return false;
    this.#waiting.push({ command, evenHeld: false, loaded: needsLoading(command) ? null : nothing });
    this.#pump();
    return true;
  }

  /** Before all that waits, and whatever holds the queue: for taking a question away. */
  pushFirst(command: Command): void {
    if (this.#ended) return this.#finish(command, { kind: 'unsent' });
    this.#waiting.unshift({ command, evenHeld: true, loaded: nothing });
    this.#pump();
  }

  /** Takes a command out of the line. @returns false when it was written already, or is not known */
  remove(command: Command): boolean {
    const at = this.#waiting.findIndex((entry) => entry.command === command);
    if (at === -1) return false;
    this.#waiting.splice(at, 1);
    this.#finish(command, { kind: 'unsent' });
    return true;
  }

  /** Nothing is written until as many `release` came. Expiry goes on. */
  hold(): void {
    this.#holds += 1;
  }

  release(): void {
    this.#holds -= 1;
    this.#pump();
  }

  onAck(ack: Ack): void {
    const entry = this.#inFlight.get(ack.id);
    if (entry === undefined) return;
    this.#inFlight.delete(ack.id);
    if (entry.told) return this.#freed();
    if (ack.ok) {
      this.#port.commandAcked(entry.command, Math.max(0, this.#port.now() - entry.sentAt) / 1000, ack.result);
      this.#finish(entry.command, { kind: 'ack', ms: ack.ms, result: ack.result });
    } else {
      this.#finish(entry.command, { kind: 'nack', code: nackCodes[ack.code], error: `The robot refused: ${ack.error}`, end: 'nack' });
    }
    this.#freed();
  }

  /** Tells the outcome of a command in flight before its ack, which is then passed over. */
  settle(command: Command, outcome: CommandOutcome): void {
    for (const entry of this.#inFlight.values()) {
      if (entry.command !== command || entry.told) continue;
      entry.told = true;
      return this.#finish(command, outcome);
    }
  }

  /**
   * Writes nothing more and resolves when nothing is in flight. What waits, and what comes until `end`, is given back only then, unwritten:
   * given back while the robot is still here, it would be sent here again and again, until its caller gave up.
   */
  async drain(): Promise<void> {
    this.#draining = true;
    this.hold();
    if (this.#inFlight.size > 0) await new Promise<void>((resolve) => (this.#whenQuiet = resolve));
  }

  /** The socket is gone: what waits is unsent, what was written is of unknown fate. */
  end(): void {
    this.#ended = true;
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    this.#unsent();
    const written = [...this.#inFlight.values()];
    this.#inFlight.clear();
    for (const { command, told } of written) {
      if (!told)
        this.#finish(command, {
          kind: 'nack',
          code: 'outcome_unknown',
          error: 'The robot went away before it confirmed: it may or may not have done it.',
          end: 'unknown',
        });
    }
    this.#whenQuiet?.();
  }

  #unsent(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { command } of waiting) this.#finish(command, { kind: 'unsent' });
  }

  #finish(command: Command, outcome: CommandOutcome): void {
    this.#port.commandEnded(command, outcome);
    command.span?.ended(outcome);
    command.done(outcome);
  }

  /** A place in flight is free. */
  #freed(): void {
    this.#pump();
    if (this.#inFlight.size === 0) this.#whenQuiet?.();
  }

  /** Writes what may be written. */
  #pump(): void {
    while (this.#inFlight.size < inFlightMax) {
      const head = this.#waiting[0];
      if (head === undefined || (this.#holds > 0 && !head.evenHeld)) break;
      const now = this.#port.now();
      if (head.command.expires <= now) {
        this.#waiting.shift();
        this.#finish(head.command, late);
        continue;
      }
      const loaded = this.#load(head);
      if (loaded === null) break;
      this.#waiting.shift();
      this.#write(head.command, loaded, now);
    }
    for (let i = 0; i < inFlightMax && i < this.#waiting.length; i += 1) this.#load(this.#waiting[i]!);
    this.#watch();
  }

  #write(command: Command, loaded: Exclude<Waiting['loaded'], 'loading' | null>, now: number): void {
    if ('missing' in loaded) return this.#finish(command, { kind: 'media_missing', hash: loaded.missing });
    if ('failed' in loaded) {
      return this.#finish(command, {
        kind: 'nack',
        code: 'service_unavailable',
        error: 'The service cannot reach its storage at the moment.',
        end: 'refused',
      });
    }
    const id = `${this.#idPrefix}-${(this.#lastId += 1)}`;
    this.#inFlight.set(id, { command, sentAt: now, ackBy: command.expires + ackGraceMs, told: false });
    const problem = this.#port.write(command, id, Math.max(1, Math.floor(command.expires - now)), loaded);
    if (problem === null) {
      command.span?.written(command);
      return command.written?.();
    }
    this.#inFlight.delete(id);
    this.#finish(command, { kind: 'nack', ...problem, end: 'refused' });
  }

  /** @returns what was loaded, or null while it is being read */
  #load(entry: Waiting): Exclude<Waiting['loaded'], 'loading' | null> | null {
    if (entry.loaded === 'loading') return null;
    if (entry.loaded !== null) return entry.loaded;
    entry.loaded = 'loading';
    this.#port.load(entry.command).then(
      (loaded) => this.#loaded(entry, loaded),
      () => this.#loaded(entry, { failed: true }),
    );
    return null;
  }

  #loaded(entry: Waiting, loaded: Loaded | { missing: string } | { failed: true }): void {
    entry.loaded = loaded;
    this.#pump();
  }

  /** One timer for all of the robot's commands; it is left to fire rather than set anew for each. */
  #watch(): void {
    if (this.#timer !== null || this.#ended) return;
    let next = Infinity;
    for (const { command } of this.#waiting) next = Math.min(next, command.expires);
    for (const { ackBy } of this.#inFlight.values()) next = Math.min(next, ackBy);
    if (next === Infinity) return;
    this.#timer = setTimeout(() => this.#expire(), Math.max(1, Math.ceil(next - this.#port.now())));
  }

  #expire(): void {
    this.#timer = null;
    const now = this.#port.now();
    const tooLate = this.#waiting.filter(({ command }) => command.expires <= now);
    if (tooLate.length > 0) this.#waiting = this.#waiting.filter(({ command }) => command.expires > now);
    for (const { command } of tooLate) this.#finish(command, late);
    for (const [id, { command, ackBy, told }] of this.#inFlight) {
      if (ackBy > now) continue;
      this.#inFlight.delete(id);
      if (!told) this.#finish(command, { kind: 'nack', code: 'no_ack', error: 'The robot did not confirm in time.', end: 'no_ack' });
    }
    this.#freed();
  }
}

const late: CommandOutcome = {
  kind: 'nack',
  code: 'no_ack',
  error: 'The robot was busy until the command was too old; it was not sent.',
  end: 'late',
};

function needsLoading(command: Command): boolean {
  return command.sound !== undefined || (command.attachments !== undefined && command.attachments.length > 0);
}
