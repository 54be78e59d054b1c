/**
 * One stream of a robot's events: sends each event once, in order, under its number. Missing numbers are sent as a `gap` record, never skipped silently.
 * A stream that begins above the highest number waits and sends only higher ones.
 * It holds no event for a client that does not read: it stops there, and reads on from Redis when the client does. A client that takes too
 * long is cut, and goes on with its last id.
 */
import type { Writable } from 'node:stream';
import type { EventName, RobotEvent } from '@perch/schema';
import { asApiError, failureBody } from '../http/errors.js';
import { sseComment, sseRecord } from '../http/sse/event-text.js';
import { SseLine, type StreamEnd } from '../http/sse/sse-connection.js';
import type { CoveringPage, FeedReader } from './watched-robot.js';

/** Written at a time, characters: what a client that does not read costs beside its socket. */
const chunkChars = 32_768;
/** How long a stream is kept while Redis cannot be read. */
const storeAwayMs = 15_000;

export interface EventStreamOptions {
  /** As asked for; 0 is what is kept. */
  after: number;
  /** null: all. */
  names: ReadonlySet<EventName> | null;
  requestId: string;
  /** There may be more to read, and it can take it. */
  wake(): void;
  /** Nothing is kept of the robot: it may have been removed. */
  suspect(): void;
  ended(why: StreamEnd): void;
}

export class EventStream implements FeedReader {
  /** Of events as large as they may be, three chunks. */
  readonly atOnce = 100;
  readonly #options: EventStreamOptions;
  readonly #line: SseLine;
  /** All up to here was told, left out by `names`, or is in a gap. */
  #position: number;
  /** The highest id the client knows. */
  #idTold: number;
  /** performance.now() of the first read that failed. */
  #failingSince: number | null = null;

  constructor(options: EventStreamOptions) {
    this.#options = options;
    this.#line = new SseLine({
      beat: () => (this.#position > this.#idTold ? sseComment + this.#idRecord() : sseComment),
      drained: () => options.wake(),
      ended: (why) => options.ended(why),
    });
    this.#position = options.after;
    this.#idTold = options.after;
  }

  get position(): number | null {
    return this.#line.takes ? this.#position : null;
  }

  /** Tells what was kept when the stream was asked for. @param response with its head written */
  begin(response: Writable, page: CoveringPage): void {
    this.#line.write(this.#line.begin(response));
    this.offer(page);
  }

  offer(page: CoveringPage): void {
    if (this.position === null) return;
    this.#failingSince = null;
    if (page.lastSeq === 0) this.#options.suspect();
    let text = '';
    for (const event of page.events) {
      if (event.seq <= this.#position) continue;
      text += this.#recordsOf(event);
      if (text.length < chunkChars) continue;
      this.#line.write(text);
      // What is left of the page is read again when the client has taken this.
      if (this.position !== null) setImmediate(() => this.#options.wake());
      return;
    }
    if (page.covers > this.#position) text += this.#gapTo(page.covers + 1);
    if (text !== '') this.#line.write(text);
  }

  fail(error: unknown): void {
    const now = performance.now();
    this.#failingSince ??= now;
    if (now - this.#failingSince >= storeAwayMs) this.end(error);
  }

  /** Once a second or so, for all streams from one timer. */
  tick(now: number): void {
    this.#line.tick(now);
  }

  /** The last event says why, unless the client does not read. */
  end(reason: unknown): void {
    const error = asApiError(reason);
    this.#line.end(error.code, sseRecord({ event: 'end', id: this.#position, data: failureBody(error, this.#options.requestId) }));
  }

  /** Nobody is there any more. */
  hungUp(): void {
    this.#line.cut('hung_up');
  }

  #recordsOf(event: RobotEvent): string {
    // Who asks for what is kept misses nothing before it. Else numbers follow each other, unless some are not kept, or may be lost.
    const asked = this.#position === 0 && this.#options.after === 0;
    const gap = asked || event.seq === this.#position + 1 ? '' : this.#gapTo(event.seq);
    this.#position = event.seq;
    if (this.#options.names?.has(event.name) === false) return gap;
    this.#idTold = event.seq;
    return gap + sseRecord({ id: event.seq, data: event });
  }

  /** Numbers from the next one on up to `next` are not kept; the client's next event is `next` or later. */
  #gapTo(next: number): string {
    const after = this.#position;
    this.#position = next - 1;
    this.#idTold = next - 1;
    return sseRecord({ event: 'gap', id: next - 1, data: { after, next } });
  }

  /** Where names left events out, so that a client that comes again does not begin before them. */
  #idRecord(): string {
    this.#idTold = this.#position;
    return sseRecord({ id: this.#position });
  }
}
