/** Serves event streams. Errors that can be detected before a stream begins are answered like those of any other call. */
import { ApiError, limits, type ArgsOf, nextRequests, type EventName, type RobotEvent } from '@perch/schema';
import type { Call } from '../calls/call.js';
import type { EventsFeed, CoveringPage, FeedReader } from './events-feed.js';
import type { Exchange } from '../http/exchange.js';
import type { OpenCalls } from '../calls/open-calls.js';
import { OpenStreams } from './open-streams.js';
import { unknownRobot, type RobotDirectory } from '../robots/robot-directory.js';
import { type StreamEnd, SseConnection, sseComment, sseRecord } from '../http/sse.js';
import type { Writable } from 'node:stream';
import { asApiError } from '../calls/failures.js';
import { failureBody, type Advice } from '../http/errors.js';

const { streamsMax } = limits.events;

export interface EventStreamsOptions {
  feed: EventsFeed;
  openCalls: OpenCalls;
  directory: Pick<RobotDirectory, 'read'>;
  ended: (why: StreamEnd) => void;
}

export class EventStreams {
  readonly #options: EventStreamsOptions;
  readonly #openStreams: OpenStreams;

  constructor(options: EventStreamsOptions) {
    this.#options = options;
    const refusal = `This key already has ${streamsMax} open event streams at this instance. Close some first.`;
    this.#openStreams = new OpenStreams({ openCalls: options.openCalls, ofKey: { max: streamsMax, refusal } });
  }

  /** @throws {ApiError} before the stream begins: rate_limited if the key has too many streams, unknown_robot, unauthorized, draining */
  serve(call: Call, args: ArgsOf<'events'>, exchange: Exchange): Promise<void> {
    return this.#openStreams.place(call, call.signal, (signal) => this.#hold(call, args, exchange, signal));
  }

  async #hold({ robot, requestId }: Call, { after, names }: ArgsOf<'events'>, exchange: Exchange, signal: AbortSignal): Promise<void> {
    const { feed, ended } = this.#options;
    const watched = feed.watch(robot);
    const stream = new EventStream({
      after,
      names: names === undefined ? null : new Set(names),
      requestId,
      wake: () => watched.wake(),
      checkRemoved: () => void this.#endIfRemoved(robot, stream),
      ended,
    });
    try {
      await watched.join(stream);
      const page = await feed.read(robot, after);
      if (page.lastSeq === 0) await this.#mustExist(robot);
      await this.#openStreams.run(stream, exchange, signal, (response) => {
        stream.begin(response, page);
        // Events appended since that page did not wake this reader, which was not ready yet.
        watched.wake();
      });
    } finally {
      watched.leave(stream);
    }
  }

  async #endIfRemoved(robot: string, stream: EventStream): Promise<void> {
    try {
      await this.#mustExist(robot);
    } catch (error) {
      if (error instanceof ApiError) stream.end(error);
      // Redis is unreachable: the next read reports it.
    }
  }

  async #mustExist(robot: string): Promise<void> {
    if ((await this.#options.directory.read(robot)) === null) throw unknownRobot();
  }
}

/** Maximum size of a write, characters: the memory that a client that does not read costs, besides its socket. */
const chunkChars = 32_768;
const storeAwayMs = 15_000;
const continues = 'Open the stream again with the id of this record as Last-Event-ID: it continues after the last event that was sent.';
const advice: Advice = { ...nextRequests, draining: continues, service_unavailable: continues, internal: continues };

export interface EventStreamOptions {
  /** Number after which the stream begins; 0: everything that is kept. */
  after: number;
  /** null: all. */
  names: ReadonlySet<EventName> | null;
  requestId: string;
  wake(): void;
  /** Called when the robot has no event log: it may have been removed. */
  checkRemoved(): void;
  ended(why: StreamEnd): void;
}

/**
 * Sends each event once, in order, with its number as id; missing numbers as a `gap` record. A stream that begins after the highest number sends only
 * higher ones. Nothing is buffered for a client that does not read: the stream continues from Redis when it reads again. A client that is too slow is
 * disconnected, and can continue from its last id.
 */
export class EventStream implements FeedReader {
  /** With events of maximum size, three chunks. */
  readonly batchMax = 100;
  readonly #options: EventStreamOptions;
  readonly #connection: SseConnection;
  /** Everything up to this number was sent, excluded by `names`, or reported as a gap. */
  #position: number;
  #idSent: number;
  #failingSince: number | null = null;

  constructor(options: EventStreamOptions) {
    this.#options = options;
    this.#connection = new SseConnection({
      beat: () => (this.#position > this.#idSent ? sseComment + this.#idRecord() : sseComment),
      drained: () => options.wake(),
      ended: (why) => options.ended(why),
    });
    this.#position = options.after;
    this.#idSent = options.after;
  }

  get position(): number | null {
    return this.#connection.takes ? this.#position : null;
  }

  begin(response: Writable, page: CoveringPage): void {
    this.#connection.write(this.#connection.begin(response));
    this.offer(page);
  }

  offer(page: CoveringPage): void {
    if (this.position === null) return;
    this.#failingSince = null;
    if (page.lastSeq === 0) this.#options.checkRemoved();
    let text = '';
    for (const event of page.events) {
      if (event.seq <= this.#position) continue;
      text += this.#recordsOf(event);
      if (text.length < chunkChars) continue;
      this.#connection.write(text);
      // The rest of the page is read again when the client has received this chunk.
      if (this.position !== null) setImmediate(() => this.#options.wake());
      return;
    }
    if (page.covers > this.#position) text += this.#gapTo(page.covers + 1);
    if (text !== '') this.#connection.write(text);
  }

  fail(error: unknown): void {
    const now = performance.now();
    this.#failingSince ??= now;
    if (now - this.#failingSince >= storeAwayMs) this.end(error);
  }

  tick(now: number): void {
    this.#connection.tick(now);
  }

  /** Ends the stream. A last event carries the reason, unless the client does not read. */
  end(reason: unknown): void {
    const error = asApiError(reason);
    const data = failureBody(error, this.#options.requestId, advice);
    this.#connection.end(error.code, sseRecord({ event: 'end', id: this.#position, data }));
  }

  hungUp(): void {
    this.#connection.cut('hung_up');
  }

  #recordsOf(event: RobotEvent): string {
    // A client that asks for everything kept misses nothing before it. Otherwise a jump in the numbers means that events are missing.
    const fromStart = this.#position === 0 && this.#options.after === 0;
    const gap = fromStart || event.seq === this.#position + 1 ? '' : this.#gapTo(event.seq);
    this.#position = event.seq;
    if (this.#options.names?.has(event.name) === false) return gap;
    this.#idSent = event.seq;
    return gap + sseRecord({ id: event.seq, data: event });
  }

  #gapTo(next: number): string {
    const after = this.#position;
    this.#position = next - 1;
    this.#idSent = next - 1;
    return sseRecord({ event: 'gap', id: next - 1, data: { after, next } });
  }

  /** Returns a record with the current id only, so that a reconnecting client does not start before events that `names` excluded. */
  #idRecord(): string {
    this.#idSent = this.#position;
    return sseRecord({ id: this.#position });
  }
}
