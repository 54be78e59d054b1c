/**
 * The commands of a robot: up to 4 in flight and 32 queued. A command is written at most once and has exactly one outcome. It passes from `push` to the
 * socket, and its ack from `onAck` to the state, the followers and the command's `done`.
 */
import { encodeFrame, isObject, limits, nackCodes, type Ack, type Attachment, type CardCountdown, type CardPage } from '@perch/schema';
import type { ErrorCode, Hello, PictureRef, SoundRef } from '@perch/schema';
import type { Span } from '@perch/runtime';
import { StoreError } from '@perch/store';
import { randomInt } from 'node:crypto';
import type { QuestionPages } from '../input/consent.js';
import type { CommandEnd } from '../metrics/link-metrics.js';
import { outcomes, type AckCounts } from '../metrics/robots-page.js';
import type { LinkContext } from './context.js';
import type { Lease } from './lease.js';
import type { RobotSocket } from './robot-socket.js';
import type { RobotState } from './state.js';

export interface Command extends QuestionPages {
  name: string;
  args: Record<string, unknown>;
  attachments?: Attachment[];
  sound?: SoundRef;
  /** For `screen.show`: shown one after the other once the robot has confirmed the command. Grey pages: the picture of the command is the first one. */
  pages?: readonly CardPage[];
  /** For `screen.show`: its seconds are shown once the robot has confirmed the command. */
  countdown?: CardCountdown;
  /** Redis time, ms, after which the command is not written. */
  expires: number;
  requestId?: string;
  span?: CommandSpan;
  /** Redis time, ms, at which the call arrived at its gateway. Set for the first command of a call. */
  arrivedAt?: number;
  written?(): void;
  done(outcome: CommandOutcome): void;
}

export type CommandOutcome =
  /** `ms` is the robot's clock. */
  | { kind: 'ack'; ms: number; result: Record<string, unknown> }
  /** The robot refused it or did not answer, or it was refused here. `end` is the metric label. */
  | { kind: 'nack'; code: ErrorCode; error: string; end: 'nack' | 'no_ack' | 'late' | 'unknown' | 'refused' }
  /** A second sound replaced it before it started. */
  | { kind: 'replaced' }
  | { kind: 'media_missing'; hash: string }
  /** The session ended before it was written: it may be sent again elsewhere. */
  | { kind: 'unsent' };

/** Part of a session that acts on commands, its own and others'. */
export interface CommandFollower {
  /** Called before the command is queued. */
  queued?(command: Command): void;
  /** Called once the command and its pictures are written. */
  written?(command: Command, sound: SoundStart | null): void;
  /** Called for each ack with ok, before the command's `done`. @param ms the robot's clock @param changed whether a person sees something else now */
  acked?(command: Command, ms: number, changed: boolean): void;
  /** Called for each outcome, before the command's `done`. */
  ended?(command: Command, outcome: CommandOutcome): void;
}

export interface SoundStart {
  readonly id: string;
  readonly stream: number;
  readonly firstPiece: Buffer;
}

type Loaded = Buffer[];

interface QueueEntry {
  command: Command;
  bypassesHold: boolean;
  loaded: Loaded | { missing: string } | 'loading' | { failed: unknown } | null;
}

interface InFlight {
  id: string;
  command: Command;
  /** Redis time, ms. */
  sentAt: number;
  ackBy: number;
  /** Its outcome was reported before its ack. It keeps its place in flight, since the robot still has it. */
  settled: boolean;
}

const { inFlightMax, queuedMax } = limits.link;
/** After a command's expiry its ack may still arrive: the robot may have started it in time. */
const ackGraceMs = 1000;
/** Numbers of the streams of pictures and sounds. */
const streams = 65_536;
const nothing: Loaded = [];

export class Commands {
  readonly acks: AckCounts = { ack: 0, nack: 0, no_ack: 0 };
  followers: readonly CommandFollower[] = [];
  /** The stream of the sound that the robot gets, which no picture may have. */
  soundStream: number | null = null;
  readonly #lease: Lease;
  readonly #context: LinkContext;
  readonly #socket: RobotSocket;
  readonly #state: RobotState;
  readonly #partBytesMax: number;
  readonly #timesMoves: boolean;
  #nextStream = randomInt(streams);
  /** Ids are never reused within a boot of the robot, which remembers the last 32. */
  readonly #idPrefix: string;
  #lastId = 0;
  #queue: QueueEntry[] = [];
  /** A list, since an empty map takes 0.2 kB and four entries are searched as fast. */
  #inFlight: InFlight[] = [];
  #holds = 0;
  #timer: NodeJS.Timeout | null = null;
  #draining = false;
  #ended = false;
  #onIdle: (() => void) | null = null;

  constructor(lease: Lease, context: LinkContext, socket: RobotSocket, state: RobotState, { audio, features }: Hello) {
    this.#lease = lease;
    this.#context = context;
    this.#socket = socket;
    this.#state = state;
    this.#partBytesMax = partBytesMax(audio);
    this.#timesMoves = features.includes('move_duration');
    // The prefix is unique to the session, since the robot remembers command ids across the sessions of a boot.
    this.#idPrefix = lease.session.slice('s-'.length);
  }

  get size(): number {
    return this.#queue.length + this.#inFlight.length;
  }

  /** @returns false if the queue is full; `done` is then not called */
  push(command: Command): boolean {
    const isFull = this.#queue.length >= queuedMax;
    if (this.#ended || (this.#draining && isFull)) {
      this.#finish(command, { kind: 'unsent' });
      return true;
    }
    if (isFull) return false;
    for (const each of this.followers) each.queued?.(command);
    this.#queue.push({ command, bypassesHold: false, loaded: needsLoading(command) ? null : nothing });
    this.#pump();
    return true;
  }

  pushFirst(command: Command): void {
    if (this.#ended) return this.#finish(command, { kind: 'unsent' });
    for (const each of this.followers) each.queued?.(command);
    this.#queue.unshift({ command, bypassesHold: true, loaded: nothing });
    this.#pump();
  }

  remove(command: Command): boolean {
    const at = this.#queue.findIndex((entry) => entry.command === command);
    if (at === -1) return false;
    this.#queue.splice(at, 1);
    this.#finish(command, { kind: 'unsent' });
    return true;
  }

  /** Stops writing until `release` was called as often as `hold`. Commands still expire. */
  hold(): void {
    this.#holds += 1;
  }

  release(): void {
    this.#holds -= 1;
    this.#pump();
  }

  onAck(ack: Ack): void {
    const entry = this.#take(ack.id);
    if (entry === undefined) return;
    if (entry.settled) return this.#freed();
    if (ack.ok) {
      this.#acked(entry, ack.result, ack.ms);
      this.#finish(entry.command, { kind: 'ack', ms: ack.ms, result: ack.result });
    } else {
      this.#finish(entry.command, { kind: 'nack', code: nackCodes[ack.code], error: `The robot refused: ${ack.error}`, end: 'nack' });
    }
    this.#freed();
  }

  settle(command: Command, outcome: CommandOutcome): void {
    for (const entry of this.#inFlight) {
      if (entry.command !== command || entry.settled) continue;
      entry.settled = true;
      return this.#finish(command, outcome);
    }
  }

  /** Only `end` returns queued commands as unsent: while the robot is still connected here, they would be sent here again and again. */
  async drain(): Promise<void> {
    this.#draining = true;
    this.hold();
    if (this.#inFlight.length > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve));
  }

  /** Settles all commands after the socket closed: queued ones as unsent, written ones as outcome_unknown. */
  end(): void {
    this.#ended = true;
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    this.#unsent();
    const written = this.#inFlight;
    this.#inFlight = [];
    for (const { command, settled } of written) {
      if (!settled)
        this.#finish(command, {
          kind: 'nack',
          code: 'outcome_unknown',
          error: 'The robot disconnected before it confirmed the command, which may or may not have been executed.',
          end: 'unknown',
        });
    }
    this.#onIdle?.();
  }

  #take(id: string): InFlight | undefined {
    const at = this.#inFlight.findIndex((entry) => entry.id === id);
    return at === -1 ? undefined : this.#inFlight.splice(at, 1)[0];
  }

  #unsent(): void {
    const queue = this.#queue;
    this.#queue = [];
    for (const { command } of queue) this.#finish(command, { kind: 'unsent' });
  }

  #acked({ command, sentAt }: InFlight, result: Record<string, unknown>, ms: number): void {
    const now = this.#lease.now();
    this.#context.metrics.acked(Math.max(0, now - sentAt) / 1000);
    const changed = this.#state.apply(command, result, now);
    for (const each of this.followers) each.acked?.(command, ms, changed);
  }

  #finish(command: Command, outcome: CommandOutcome): void {
    const { metrics, log } = this.#context;
    const end = outcome.kind === 'nack' ? outcome.end : outcome.kind;
    metrics.command(command.name, end);
    if (isCounted(end)) this.acks[end] += 1;
    if (log.isLevelEnabled('debug'))
      log.debug(
        {
          robot: this.#lease.robot,
          request_id: command.requestId,
          ...(command.span && { trace_id: command.span.traceId }),
          command: command.name,
          outcome: outcome.kind,
        },
        'command ended',
      );
    for (const each of this.followers) each.ended?.(command, outcome);
    command.span?.ended(outcome);
    command.done(outcome);
  }

  #freed(): void {
    this.#pump();
    if (this.#inFlight.length === 0) this.#onIdle?.();
  }

  #pump(): void {
    while (this.#inFlight.length < inFlightMax) {
      const head = this.#queue[0];
      if (head === undefined || (this.#holds > 0 && !head.bypassesHold)) break;
      const now = this.#lease.now();
      if (head.command.expires <= now) {
        this.#queue.shift();
        this.#finish(head.command, late);
        continue;
      }
      const loaded = this.#load(head);
      if (loaded === null) break;
      this.#queue.shift();
      this.#write(head.command, loaded, now);
    }
    for (let i = 0; i < inFlightMax && i < this.#queue.length; i += 1) this.#load(this.#queue[i]!);
    this.#watch();
  }

  #write(command: Command, loaded: Exclude<QueueEntry['loaded'], 'loading' | null>, now: number): void {
    if ('missing' in loaded) return this.#finish(command, { kind: 'media_missing', hash: loaded.missing });
    if ('failed' in loaded) {
      return this.#finish(command, {
        kind: 'nack',
        code: 'service_unavailable',
        error: loaded.failed instanceof StoreError ? loaded.failed.storageProblem : 'Something went wrong in the service.',
        end: 'refused',
      });
    }
    const id = `${this.#idPrefix}-${(this.#lastId += 1)}`;
    this.#inFlight.push({ id, command, sentAt: now, ackBy: command.expires + ackGraceMs, settled: false });
    this.#state.began(command, now);
    if (!this.#send(command, id, Math.max(1, Math.floor(command.expires - now)), loaded)) {
      this.#take(id);
      return this.#finish(command, { kind: 'nack', code: 'bad_argument', error: 'The arguments are too large for the robot.', end: 'refused' });
    }
    if (command.arrivedAt !== undefined) this.#context.metrics.delivered(command.name, this.#lease.now() - command.arrivedAt);
    command.span?.written(command);
    command.written?.();
  }

  /** @returns false if the robot does not read a message of this size: nothing was sent */
  #send(command: Command, id: string, ttlMs: number, loaded: Loaded): boolean {
    const { name, attachments = [], sound } = command;
    const pictureStreams = attachments.map(() => this.#takeStream());
    let args = attachments.reduce((into, attachment, i) => withPicture(into, attachment, pictureStreams[i]!), command.args);
    let begun: SoundStart | null = null;
    if (sound !== undefined) {
      begun = { id: `${this.#lease.session}-${id}`, stream: this.#takeStream(), firstPiece: loaded[attachments.length]! };
      args = withSound(args, sound, begun);
    }
    if (name === 'head.move' && this.#timesMoves) args = { ...args, duration_ms: this.#state.moveMs(args, this.#lease.now()) };
    const text = JSON.stringify({ t: 'cmd', id, name, args, ttl_ms: ttlMs });
    if (Buffer.byteLength(text) > limits.link.textBytesMax) return false;
    this.#socket.sendText(text);
    attachments.forEach((_, i) => sendPicture(this.#socket, pictureStreams[i]!, loaded[i]!, this.#partBytesMax));
    for (const each of this.followers) each.written?.(command, begun);
    return true;
  }

  #takeStream(): number {
    if (this.#nextStream === this.soundStream) this.#nextStream = (this.#nextStream + 1) % streams;
    const stream = this.#nextStream;
    this.#nextStream = (stream + 1) % streams;
    return stream;
  }

  #load(entry: QueueEntry): Exclude<QueueEntry['loaded'], 'loading' | null> | null {
    if (entry.loaded === 'loading') return null;
    if (entry.loaded !== null) return entry.loaded;
    entry.loaded = 'loading';
    this.#read(entry.command).then(
      (loaded) => this.#loaded(entry, loaded),
      (error: unknown) => this.#loaded(entry, { failed: error }),
    );
    return null;
  }

  /** Reads the pictures of a command; of a sound, only the first piece. @throws {StoreError} */
  async #read({ attachments = [], sound }: Command): Promise<Loaded | { missing: string }> {
    const { media } = this.#context;
    const wanted = [...attachments.map(({ picture }): PictureRef => picture), ...(sound ? [sound] : [])];
    const loaded = await Promise.all(wanted.map((ref) => (ref.kind === 'picture' ? media.picture(ref) : media.firstPiece(ref))));
    const missing = loaded.indexOf(null);
    return missing === -1 ? (loaded as Loaded) : { missing: wanted[missing]!.hash };
  }

  #loaded(entry: QueueEntry, loaded: Loaded | { missing: string } | { failed: unknown }): void {
    entry.loaded = loaded;
    this.#pump();
  }

  /** A pending timer is kept: firing early costs less than setting it again for each command. */
  #watch(): void {
    if (this.#timer !== null || this.#ended) return;
    let next = Infinity;
    for (const { command } of this.#queue) next = Math.min(next, command.expires);
    for (const { ackBy } of this.#inFlight) next = Math.min(next, ackBy);
    if (next === Infinity) return;
    this.#timer = setTimeout(() => this.#expire(), Math.max(1, Math.ceil(next - this.#lease.now())));
  }

  #expire(): void {
    this.#timer = null;
    const now = this.#lease.now();
    const tooLate = this.#queue.filter(({ command }) => command.expires <= now);
    if (tooLate.length > 0) this.#queue = this.#queue.filter(({ command }) => command.expires > now);
    for (const { command } of tooLate) this.#finish(command, late);
    for (const { id, command, settled } of this.#inFlight.filter((entry) => entry.ackBy <= now)) {
      // The outcome of another one may have ended the session, and with it this command.
      if (this.#take(id) === undefined) continue;
      if (!settled) this.#finish(command, { kind: 'nack', code: 'no_ack', error: 'The robot did not confirm in time.', end: 'no_ack' });
    }
    this.#freed();
  }
}

const late: CommandOutcome = {
  kind: 'nack',
  code: 'no_ack',
  error: 'The command expired while the robot was busy; it was not sent.',
  end: 'late',
};

function needsLoading(command: Command): boolean {
  return command.sound !== undefined || (command.attachments !== undefined && command.attachments.length > 0);
}

function isCounted(end: CommandEnd): end is keyof AckCounts {
  return (outcomes as readonly string[]).includes(end);
}

/** Returns the size of the largest part of a picture or sound that the robot takes. */
export function partBytesMax(audio: Hello['audio']): number {
  return audio?.max_part_bytes ?? limits.link.partBytesDefault;
}

function withSound(args: Record<string, unknown>, { format, rate, bytes, growing }: SoundRef, { stream, id }: SoundStart): Record<string, unknown> {
  return growing === true ? { ...args, stream, id, format, rate } : { ...args, stream, id, format, rate, bytes };
}

function withPicture(args: Record<string, unknown>, { path, picture }: Attachment, stream: number): Record<string, unknown> {
  const { format, bytes, crc32 } = picture;
  return merged(args, path, { stream, format, bytes, crc32 });
}

function merged(at: Record<string, unknown>, [step, ...rest]: string[], fields: object): Record<string, unknown> {
  if (step === undefined) return { ...at, ...fields };
  const inner = at[step];
  return { ...at, [step]: merged(isObject(inner) ? inner : {}, rest, fields) };
}

export function sendPicture(socket: RobotSocket, stream: number, bytes: Buffer, partBytesMax: number): void {
  for (let offset = 0; offset < bytes.length; offset += partBytesMax) {
    const end = Math.min(bytes.length, offset + partBytesMax);
    socket.sendBinary(
      encodeFrame({ kind: 'picture', first: offset === 0, last: end === bytes.length, stream, offset, payload: bytes.subarray(offset, end) }),
    );
  }
}

export class CommandSpan {
  readonly #span: Span;
  #step: Span;

  constructor(span: Span) {
    this.#span = span;
    this.#step = span.child('queued');
  }

  get traceId(): string {
    return this.#span.traceId;
  }

  written({ attachments = [], sound }: { attachments?: readonly Attachment[]; sound?: SoundRef }): void {
    this.#step.end();
    this.#step = this.#span.child('robot');
    const pictureBytes = attachments.reduce((sum, { picture }) => sum + picture.bytes, 0);
    if (attachments.length > 0) this.#step.event('picture sent', { 'perch.media.bytes': pictureBytes });
    if (sound !== undefined) this.#step.event('sound begun', { 'perch.media.bytes': sound.bytes });
  }

  ended(outcome: CommandOutcome): void {
    this.#step.end();
    this.#span.set({ 'perch.outcome': outcome.kind });
    if (outcome.kind === 'nack') this.#span.fail(outcome.code);
    this.#span.end();
  }
}
