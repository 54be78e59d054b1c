/**
 * The streams of a kind that this instance holds: bounded for each key and in all, looked after by one timer, and ended when their key, the
 * instance or their client goes.
 */
import type { ServerResponse } from 'node:http';
import { ApiError } from '@perch/schema';
import { ClientGone } from '../http/errors.js';
import type { Exchange } from '../http/exchange.js';
import type { HeldCalls } from '../auth/open-calls.js';

export interface HeldStream {
  /** Once a second or so. @param now on the clock of performance.now() */
  tick(now: number): void;
  /** Says why in its last record. */
  end(reason: unknown): void;
  /** Nobody is there any more. Does nothing to one that has ended. */
  hungUp(): void;
}

/** How many there may be, those included that are about to begin, and the sentence for who comes too late. */
export interface StreamBound {
  max: number;
  refusal: string;
}

export interface HeldStreamsOptions {
  held: HeldCalls;
  ofKey: StreamBound;
  /** Left out: as many as come. */
  inAll?: StreamBound;
}

const tickMs = 1000;

export class HeldStreams {
  readonly #options: HeldStreamsOptions;
  readonly #streams = new Set<HeldStream>();
  readonly #ofKey = new Map<string, number>();
  #inAll = 0;
  #ticks: NodeJS.Timeout | null = null;

  constructor(options: HeldStreamsOptions) {
    this.#options = options;
  }

  /**
   * Holds a place for a stream while `work` begins it and sees it to its end.
   * @param signal the client's
   * @throws {ApiError} rate_limited, unauthorized, draining, and what `work` throws
   */
  async place(keyHash: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { held, ofKey, inAll } = this.#options;
    const ofThisKey = this.#ofKey.get(keyHash) ?? 0;
    refuseAt(ofKey, ofThisKey);
    if (inAll !== undefined) refuseAt(inAll, this.#inAll);
    this.#inAll += 1;
    this.#ofKey.set(keyHash, ofThisKey + 1);
    try {
      await held.run(keyHash, 'stream', signal, work);
    } finally {
      this.#inAll -= 1;
      const left = this.#ofKey.get(keyHash)! - 1;
      if (left === 0) this.#ofKey.delete(keyHash);
      else this.#ofKey.set(keyHash, left);
    }
  }

  /**
   * Resolves when the stream has ended.
   * @param signal of its place @param begin is given the answer with its head written
   * @throws the signal's reason, where it was aborted before the head
   */
  async run(stream: HeldStream, exchange: Exchange, signal: AbortSignal, begin: (response: ServerResponse) => void): Promise<void> {
    signal.throwIfAborted();
    const response = exchange.stream('text/event-stream');
    exchange.time.ignore();
    const over = new Promise<void>((resolve) => {
      response.once('close', resolve);
      signal.addEventListener('abort', () => {
        if (!(signal.reason instanceof ClientGone)) return stream.end(signal.reason);
        // One that stands in line behind another answer of its connection hears of no close.
        stream.hungUp();
        resolve();
      });
    });
    try {
      begin(response);
      this.#streams.add(stream);
      this.#ticks ??= setInterval(() => this.#tick(), tickMs);
      await over;
      stream.hungUp();
    } finally {
      this.#streams.delete(stream);
      if (this.#streams.size === 0 && this.#ticks !== null) {
        clearInterval(this.#ticks);
        this.#ticks = null;
      }
    }
  }

  #tick(): void {
    const now = performance.now();
    for (const stream of this.#streams) stream.tick(now);
  }
}

function refuseAt({ max, refusal }: StreamBound, count: number): void {
  if (count >= max) throw new ApiError('rate_limited', refusal, { retryAfterS: 15 });
}
