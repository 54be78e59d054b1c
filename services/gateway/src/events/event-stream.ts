/**
 * Sends each event once, in order, with its number as id; missing numbers as a `gap` record. A stream that begins after the highest number sends only
 * higher ones. Nothing is buffered for a client that does not read: the stream continues from Redis when it reads again. A client that is too slow is
 * disconnected, and can continue from its last id.
 */
import type { Writable } from 'node:stream';
import { nextRequests, type EventName, type RobotEvent } from '@perch/schema';
import { asApiError } from '../calls/failures.js';
import { failureBody, type Advice } from '../http/errors.js';
import { sseComment, sseRecord } from '../http/sse/event-text.js';
import { SseConnection, type StreamEnd } from '../http/sse/sse-connection.js';
import type { CoveringPage, FeedReader } from './watched-robot.js';

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
