/** A client that does not read is sent nothing more, and is disconnected if it does not catch up. A last record gives the reason if it reads. */
import type { Writable } from 'node:stream';
import type { ApiError } from '@perch/schema';

const beatMs = 15_000;
/** A client that has not read a chunk after this time is disconnected, ms. */
const tooSlowMs = 10_000;
const lastEventMs = 2_000;
/** Range of the reconnect delay. It is random, so that the clients of a stopped instance do not all reconnect at once. */
const retryMs = { min: 500, max: 1_500 };

/** Why a stream ended: the code of its last event, or a reason that no event could carry. */
export type StreamEnd = ApiError['code'] | 'hung_up' | 'too_slow';

interface SseConnectionOptions {
  beat(): string;
  /** Called when the client has read everything after the connection was blocked. */
  drained(): void;
  ended(why: StreamEnd): void;
}

export class SseConnection {
  readonly #options: SseConnectionOptions;
  #response: Writable | null = null;
  #over = false;
  #beatAt = 0;
  /** performance.now() since when the client has not read what was sent. Null: not blocked. */
  #blockedSince: number | null = null;
  #overSince = 0;

  constructor(options: SseConnectionOptions) {
    this.#options = options;
  }

  get takes(): boolean {
    return this.#response !== null && !this.#over && this.#blockedSince === null;
  }

  get over(): boolean {
    return this.#over;
  }

  /** Begins the stream. @param response whose head is written @returns the first text to send: the reconnect delay */
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

  tick(now: number): void {
    if (this.#over) {
      if (now - this.#overSince >= lastEventMs) this.#response?.destroy();
    } else if (this.#blockedSince !== null) {
      if (now - this.#blockedSince >= tooSlowMs) this.cut('too_slow');
    } else if (now >= this.#beatAt) {
      this.#beatAt += beatMs;
      this.write(this.#options.beat());
    }
  }

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

/** Formats server-sent events (HTML Living Standard, 9.2): records, each followed by a blank line. */

interface SseRecord {
  event?: string;
  id?: number;
  /** Sent as JSON, which has no line breaks. If unset, the client only remembers the id. */
  data?: unknown;
}

export function sseRecord({ event, id, data }: SseRecord): string {
  return `${event === undefined ? '' : `event: ${event}\n`}${id === undefined ? '' : `id: ${id}\n`}${data === undefined ? '' : `data: ${JSON.stringify(data)}\n`}\n`;
}

function sseRetry(ms: number): string {
  return `retry: ${Math.round(ms)}\n\n`;
}

/** Heartbeat that keeps proxies from closing an idle stream. */
export const sseComment = ':\n\n';
