/** Limits open streams of a kind at this instance, per API key and in total, and runs one timer for all. */
import type { ServerResponse } from 'node:http';
import { ApiError } from '@perch/schema';
import { ClientGone } from '../calls/failures.js';
import type { Exchange } from '../http/exchange.js';
import type { OpenCaller, OpenCalls } from '../calls/open-calls.js';

export interface OpenStream {
  /** Called about once a second. @param now performance.now() */
  tick(now: number): void;
  end(reason: unknown): void;
  /** Ends the stream after the client disconnected. No effect on a stream that has ended. */
  hungUp(): void;
}

/** `max` includes streams about to begin. */
export interface StreamBound {
  max: number;
  refusal: string;
}

export interface OpenStreamsOptions {
  openCalls: OpenCalls;
  ofKey: StreamBound;
  inAll?: StreamBound;
}

const tickMs = 1000;

export class OpenStreams {
  readonly #options: OpenStreamsOptions;
  readonly #streams = new Set<OpenStream>();
  readonly #ofKey = new Map<string, number>();
  #inAll = 0;
  #ticks: NodeJS.Timeout | null = null;

  constructor(options: OpenStreamsOptions) {
    this.#options = options;
  }

  /** Reserves a place for a stream while `work` runs it. @throws {ApiError} rate_limited, unauthorized, draining, and errors of `work` */
  async place(caller: OpenCaller, signal: AbortSignal, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { openCalls, ofKey, inAll } = this.#options;
    const { keyHash } = caller;
    const keyCount = this.#ofKey.get(keyHash) ?? 0;
    rejectAt(ofKey, keyCount);
    if (inAll !== undefined) rejectAt(inAll, this.#inAll);
    this.#inAll += 1;
    this.#ofKey.set(keyHash, keyCount + 1);
    try {
      await openCalls.run(caller, 'stream', signal, work);
    } finally {
      this.#inAll -= 1;
      const left = this.#ofKey.get(keyHash)! - 1;
      if (left === 0) this.#ofKey.delete(keyHash);
      else this.#ofKey.set(keyHash, left);
    }
  }

  /** @param begin called with the response, whose head is written @throws the signal's reason, if it aborted before the head was written */
  async run(stream: OpenStream, exchange: Exchange, signal: AbortSignal, begin: (response: ServerResponse) => void): Promise<void> {
    signal.throwIfAborted();
    const response = exchange.stream('text/event-stream');
    exchange.time.ignore();
    const over = new Promise<void>((resolve) => {
      response.once('close', resolve);
      signal.addEventListener('abort', () => {
        if (!(signal.reason instanceof ClientGone)) return stream.end(signal.reason);
        // A response queued behind another one on its connection emits no 'close'.
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

function rejectAt({ max, refusal }: StreamBound, count: number): void {
  if (count >= max) throw new ApiError('rate_limited', refusal, { retryAfterS: 15 });
}
