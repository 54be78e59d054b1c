/**
 * The connection under a stream of server-sent events. Comments keep it alive; a client that does not read is told nothing more, and cut
 * when it takes too long; its end is said in a last record where somebody reads it.
 */
import type { Writable } from 'node:stream';
import type { ApiError } from '@perch/schema';
import { sseRetry } from './event-text.js';

/** Between comments on a stream. */
const beatMs = 15_000;
/** A client that has not taken a chunk after so long is cut. */
const tooSlowMs = 10_000;
/** How long the last event may take to its client. */
const goodbyeMs = 2_000;
/** All clients of an instance that ended come again; not all at once. */
const retryMs = { min: 500, max: 1_500 };

/** Why a stream ended: the code of its last event, or what no event could tell. */
export type StreamEnd = ApiError['code'] | 'hung_up' | 'too_slow';

export interface SseLineOptions {
  /** What is written where nothing else was for a while. */
  beat(): string;
  /** The client has taken what held it up. */
  drained(): void;
  ended(why: StreamEnd): void;
}

export class SseLine {
  readonly #options: SseLineOptions;
  #response: Writable | null = null;
  #over = false;
  /** performance.now() of the next comment; of what the client has not taken; of the end. */
  #beatAt = 0;
  #blockedSince: number | null = null;
  #overSince = 0;

  constructor(options: SseLineOptions) {
    this.#options = options;
  }

  /** Whether it has begun, has not ended, and its client takes what it is sent. */
  get takes(): boolean {
    return this.#response !== null && !this.#over && this.#blockedSince === null;
  }

  get over(): boolean {
    return this.#over;
  }

  /** @param response with its head written @returns what the client must know first: when to come again */
  begin(response: Writable): string {
    this.#response = response;
    this.#beatAt = performance.now() + beatMs;
    response.on('drain', () => {
      this.#blockedSince = null;
      this.#options.drained();
    });
    return sseRetry(retryMs.min + Math.random() * (retryMs.max - retryMs.min));
  }

  write(text: string): void {
    if (!this.#response!.write(text)) this.#blockedSince ??= performance.now();
  }

  /** Once a second or so, for all streams from one timer. */
  tick(now: number): void {
    if (this.#over) {
      if (now - this.#overSince >= goodbyeMs) this.#response?.destroy();
    } else if (this.#blockedSince !== null) {
      if (now - this.#blockedSince >= tooSlowMs) this.cut('too_slow');
    } else if (now >= this.#beatAt) {
      this.#beatAt += beatMs;
      this.write(this.#options.beat());
    }
  }

  /** @param last is written, unless the client does not read */
  end(why: StreamEnd, last: string): void {
    if (this.#over) return;
    if (this.#blockedSince !== null) return this.cut(why);
    this.#conclude(why);
    this.#response?.end(last);
  }

  cut(why: StreamEnd): void {
    if (this.#over) return;
    this.#conclude(why);
    this.#response?.destroy();
  }

  #conclude(why: StreamEnd): void {
    this.#over = true;
    this.#overSince = performance.now();
    this.#options.ended(why);
  }
}
