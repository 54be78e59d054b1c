/**
 * One stream of a robot's events: each event once, in order, under its number; what is not kept any more is told as a gap, never passed over.
 * It holds no event for a client that does not read: it stops there, and reads on from Redis when the client does. A client that takes too
 * long is cut, and goes on with its last id.
 */
import type { Writable } from 'node:stream';
import type { ApiError, EventName, RobotEvent } from '@perch/schema';
import { asApiError, failureBody } from './errors.js';
import { sseComment, sseRecord, sseRetry } from './server-sent-events.js';
import type { CoveringPage, FeedReader } from './watched-robot.js';

/** Between comments on a stream. */
const beatMs = 15_000;
/** Written at a time, characters: what a client that does not read costs beside its socket. */
const chunkChars = 32_768;
/** A client that has not taken a chunk after so long is cut. */
const tooSlowMs = 10_000;
/** How long a stream is kept while Redis cannot be read. */
const storeAwayMs = 15_000;
/** How long the last event may take to its client. */
const goodbyeMs = 2_000;
/** All clients of an instance that ended come again; not all at once. */
const retryMs = { min: 500, max: 1_500 };

/** Why a stream ended: the code of its last event, or what no event could tell. */
export type StreamEnd = ApiError['code'] | 'hung_up' | 'too_slow';

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
  #response: Writable | null = null;
  /** All up to here was told, left out by `names`, or is in a gap. */
  #position: number;
  /** The highest id the client knows. */
  #idTold: number;
  #over = false;
  #beatAt = 0;
  /** performance.now() of what the client has not taken; of the first read that failed; of the end. */
  #blockedSince: number | null = null;
  #failingSince: number | null = null;
  #overSince = 0;

  constructor(options: EventStreamOptions) {
    this.#options = options;
    this.#position = options.after;
    this.#idTold = options.after;
  }

  get position(): number | null {
    return this.#response === null || this.#over || this.#blockedSince !== null ? null : this.#position;
  }

  /** Tells what was kept when the stream was asked for. @param response with its head written */
  begin(response: Writable, page: CoveringPage): void {
    const { after } = this.#options;
    this.#response = response;
    this.#beatAt = performance.now() + beatMs;
    response.on('drain', () => {
      this.#blockedSince = null;
      this.#options.wake();
    });
    let text = sseRetry(retryMs.min + Math.random() * (retryMs.max - retryMs.min));
    // As a poll with such a number is answered: with what is kept. That the numbers went back must be seen.
    if (after > page.lastSeq) text += this.#gapTo(page.firstSeq ?? page.lastSeq + 1);
    this.#write(text);
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
      this.#write(text);
      // What is left of the page is read again when the client has taken this.
      if (this.position !== null) setImmediate(() => this.#options.wake());
      return;
    }
    if (page.covers > this.#position) text += this.#gapTo(page.covers + 1);
    if (text !== '') this.#write(text);
  }

  fail(error: unknown): void {
    const now = performance.now();
    this.#failingSince ??= now;
    if (now - this.#failingSince >= storeAwayMs) this.end(error);
  }

  /** Once a second or so, for all streams from one timer. */
  tick(now: number): void {
    if (this.#over) {
      if (now - this.#overSince >= goodbyeMs) this.#response?.destroy();
    } else if (this.#blockedSince !== null) {
      if (now - this.#blockedSince >= tooSlowMs) this.#cut('too_slow');
    } else if (now >= this.#beatAt) {
      this.#beatAt += beatMs;
      this.#write(this.#position > this.#idTold ? sseComment + this.#idRecord() : sseComment);
    }
  }

  /** The last event says why, unless the client does not read. */
  end(reason: unknown): void {
    if (this.#over) return;
    const error = asApiError(reason);
    if (this.#blockedSince !== null) return this.#cut(error.code);
    this.#conclude(error.code);
    this.#response?.end(sseRecord({ event: 'end', id: this.#position, data: failureBody(error, this.#options.requestId) }));
  }

  /** Nobody is there any more. */
  hungUp(): void {
    if (!this.#over) this.#cut('hung_up');
  }

  #cut(why: StreamEnd): void {
    this.#conclude(why);
    this.#response?.destroy();
  }

  #conclude(why: StreamEnd): void {
    this.#over = true;
    this.#overSince = performance.now();
    this.#options.ended(why);
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

  #write(text: string): void {
    if (!this.#response!.write(text)) this.#blockedSince ??= performance.now();
  }
}
