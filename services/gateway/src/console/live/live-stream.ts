/** A page that reads slowly gets only the newest list and snapshot, but every event: events are read from Redis when it can take them. */
import type { Writable } from 'node:stream';
import { asApiError, isDraining } from '../../calls/failures.js';
import { sseComment, sseRecord } from '../../http/sse/event-text.js';
import { SseConnection, type StreamEnd } from '../../http/sse/sse-connection.js';
import type { CoveringPage, FeedReader } from '../../events/watched-robot.js';

export interface LiveStreamOptions {
  /** Number of the last event not to send; null: the page watches no robot. */
  after: number | null;
  /** Called when the page can take events and more may be stored. */
  wake(): void;
  ended(why: StreamEnd): void;
}

export class LiveStream implements FeedReader {
  /** Events per write; bounds the memory that a page costs which does not read. */
  readonly batchMax = 30;
  readonly #connection: SseConnection;
  readonly #options: LiveStreamOptions;
  #after: number | null;
  readonly #pending = new Map<'robots' | 'twin', string>();

  constructor(options: LiveStreamOptions) {
    this.#options = options;
    this.#after = options.after;
    this.#connection = new SseConnection({ beat: () => sseComment, drained: () => this.#resume(), ended: (why) => options.ended(why) });
  }

  get position(): number | null {
    return this.#connection.takes ? this.#after : null;
  }

  begin(response: Writable): void {
    this.#connection.write(this.#connection.begin(response));
    this.#resume();
  }

  /** Sends a record, or keeps it as the newest of its kind while the page does not read. @param record complete server-sent event */
  send(kind: 'robots' | 'twin', record: string): void {
    if (this.#connection.takes) this.#connection.write(record);
    else if (!this.#connection.over) this.#pending.set(kind, record);
  }

  offer(page: CoveringPage): void {
    const { position } = this;
    if (position === null) return;
    let text = '';
    let after = position;
    const gapTo = (oldest: number): string => {
      if (after === 0) return '';
      const dropped = page.jumpedTo === null || page.jumpedTo <= after + 1;
      return sseRecord({ event: 'gap', id: oldest - 1, data: { after, oldest, dropped } });
    };
    for (const event of page.events) {
      if (event.seq <= after) continue;
      if (event.seq > after + 1) text += gapTo(event.seq);
      text += sseRecord({ event: 'event', id: event.seq, data: event });
      after = event.seq;
    }
    if (page.covers > after) {
      text += gapTo(page.covers + 1);
      after = page.covers;
    }
    this.#after = after;
    if (text !== '') this.#connection.write(text);
  }

  /** Does nothing while Redis is unavailable: the reader retries. */
  fail(): void {}

  tick(now: number): void {
    this.#connection.tick(now);
  }

  end(reason: unknown): void {
    const { code, message } = asApiError(reason);
    if (isDraining(reason)) this.#connection.end(code, sseRecord({ event: 'drain', data: {} }));
    else if (code === 'unauthorized')
      this.#connection.end(code, sseRecord({ event: 'end', data: { ok: false, code: 'signed_out', error: 'The session ended. Sign in again.' } }));
    else this.#connection.end(code, sseRecord({ event: 'end', data: { ok: false, code, error: message } }));
  }

  hungUp(): void {
    this.#connection.cut('hung_up');
  }

  #resume(): void {
    for (const [kind, record] of this.#pending) {
      if (!this.#connection.takes) return;
      this.#pending.delete(kind);
      this.#connection.write(record);
    }
    if (this.#after !== null) this.#options.wake();
  }
}
