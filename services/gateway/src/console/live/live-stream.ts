/**
 * What one page is told as it happens: its robots and the robot it watches as they are now, that robot's events each once and in order.
 * A page that does not read misses what was in between of the former, and of the latter nothing: they are read on from Redis.
 */
import type { Writable } from 'node:stream';
import { asApiError } from '../../http/errors.js';
import { isDraining } from '../../auth/open-calls.js';
import { sseComment, sseRecord } from '../../http/sse/event-text.js';
import { SseLine, type StreamEnd } from '../../http/sse/sse-connection.js';
import type { CoveringPage, FeedReader } from '../../events/watched-robot.js';

export interface LiveStreamOptions {
  /** The events up to here are not told; null: it watches no robot. */
  after: number | null;
  /** There may be more events to read, and it can take them. */
  wake(): void;
  ended(why: StreamEnd): void;
}

export class LiveStream implements FeedReader {
  /** Written at a time: what a page that does not read costs beside its socket. */
  readonly atOnce = 30;
  readonly #line: SseLine;
  readonly #options: LiveStreamOptions;
  #after: number | null;
  /** What is to be told when the page takes it, the newest of each. */
  readonly #waiting = new Map<'robots' | 'twin', string>();

  constructor(options: LiveStreamOptions) {
    this.#options = options;
    this.#after = options.after;
    this.#line = new SseLine({ beat: () => sseComment, drained: () => this.#goOn(), ended: (why) => options.ended(why) });
  }

  get position(): number | null {
    return this.#line.takes ? this.#after : null;
  }

  /** @param response with its head written */
  begin(response: Writable): void {
    this.#line.write(this.#line.begin(response));
    this.#goOn();
  }

  /** @param record the whole of it, as it is written */
  tell(what: 'robots' | 'twin', record: string): void {
    if (this.#line.takes) this.#line.write(record);
    else if (!this.#line.over) this.#waiting.set(what, record);
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
    if (text !== '') this.#line.write(text);
  }

  /** Redis is away: its reader comes again. */
  fail(): void {}

  /** Once a second or so, for all streams from one timer. */
  tick(now: number): void {
    this.#line.tick(now);
  }

  /** @param reason an instance that ends, or a session that did */
  end(reason: unknown): void {
    const { code, message } = asApiError(reason);
    if (isDraining(reason)) this.#line.end(code, sseRecord({ event: 'drain', data: {} }));
    else if (code === 'unauthorized')
      this.#line.end(code, sseRecord({ event: 'end', data: { ok: false, code: 'signed_out', error: 'The session ended. Sign in again.' } }));
    else this.#line.end(code, sseRecord({ event: 'end', data: { ok: false, code, error: message } }));
  }

  /** Nobody is there any more. */
  hungUp(): void {
    this.#line.cut('hung_up');
  }

  #goOn(): void {
    for (const [what, record] of this.#waiting) {
      if (!this.#line.takes) return;
      this.#waiting.delete(what);
      this.#line.write(record);
    }
    if (this.#after !== null) this.#options.wake();
  }
}
