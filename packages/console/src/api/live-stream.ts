/**
 * The page's one stream of what happens: it comes again by itself, goes on after the last event it had, and says when it is lost.
 * Lost is told only when a new try failed too, or took long: a gateway that ends hands over unseen.
 */
import { createParser } from 'eventsource-parser';
import type { LiveEvent } from '@perch/schema';
import { CallError } from './call-error.js';

export type LiveStatus = 'connecting' | 'live' | 'lost';

export interface LiveStreamOptions {
  /** @throws {CallError} signed_out, where the answer is another account's */
  open(path: string, init: { headers: Record<string, string>; signal: AbortSignal }): Promise<Response>;
  onEvent(event: LiveEvent, robot: string | null): void;
  onStatus(status: LiveStatus): void;
  /** The session ended: nothing is tried until `resume`. */
  onSignedOut(): void;
  /** The service beats every 15 s; a stream that is silent for so long is dead, ms. */
  silenceMs?: number;
  /** How long between tries, ms: the first, doubled up to the last, each varied by a half. */
  retryMs?: { first: number; last: number };
  /** How long a stream may be away before the person is told, ms. */
  graceMs?: number;
}

const names: ReadonlySet<string> = new Set<LiveEvent['event']>(['robots', 'twin', 'event', 'gap']);

export class LiveStream {
  readonly #options: Required<LiveStreamOptions>;
  #robot: string | null = null;
  #lastId = '';
  #session = '';
  #resting = false;
  #running: AbortController | null = null;
  #status: LiveStatus = 'connecting';
  #graceTimer: ReturnType<typeof setTimeout> | undefined;
  #wake: () => void = () => {};

  constructor(options: LiveStreamOptions) {
    this.#options = { silenceMs: 45_000, retryMs: { first: 500, last: 10_000 }, graceMs: 2500, ...options };
  }

  /** Also of this robot, or of none: at once where the stream runs, else when it does. */
  watch(robot: string | null): void {
    if (robot === this.#robot) return;
    this.#lastId = '';
    this.#robot = robot;
    if (this.#running !== null) this.#restart();
  }

  /** Begins as this session; another one than before begins anew. */
  begin(session: string): void {
    if (this.#running !== null && session === this.#session) return;
    this.#session = session;
    if (!this.#resting) this.#restart();
  }

  /** Nobody looks: holds no connection until `resume`, and goes on from there after the last event it had. */
  rest(): void {
    this.#resting = true;
    this.stop();
  }

  /** Begins, or tries again now if it is not there: the network came back, or the person. */
  resume(): void {
    this.#resting = false;
    if (this.#running === null) this.#restart();
    else this.#wake();
  }

  /** The network says that it is gone: what is open will not tell for long. */
  doubt(): void {
    if (this.#running !== null) this.#restart();
  }

  stop(): void {
    this.#running?.abort();
    this.#running = null;
    clearTimeout(this.#graceTimer);
    this.#graceTimer = undefined;
  }

  #restart(): void {
    this.stop();
    const running = new AbortController();
    this.#running = running;
    if (this.#status !== 'live') this.#tell('connecting');
    this.#expectSoon();
    void this.#run(running.signal);
  }

  async #run(signal: AbortSignal): Promise<void> {
    let failures = 0;
    while (!signal.aborted) {
      const end = await this.#read(signal);
      if (signal.aborted) return;
      if (end === 'signed_out') {
        this.stop();
        this.#options.onSignedOut();
        return;
      }
      if (end === 'unknown_robot') {
        this.#robot = null;
        continue;
      }
      failures = end.told ? 0 : failures + 1;
      if (failures > 1) this.#tell('lost');
      else this.#expectSoon();
      const { first, last } = this.#options.retryMs;
      const delay = end.drained ? Math.random() * first : Math.min(last, first * 2 ** failures) * (0.5 + Math.random() / 2);
      await this.#pause(Math.max(delay, end.retryAfterMs), signal);
    }
  }

  /** @returns how the stream ended, when it has */
  async #read(outer: AbortSignal): Promise<End> {
    const end = { told: false, drained: false, signedOut: false, retryAfterMs: 0 };
    const own = new AbortController();
    const signal = AbortSignal.any([outer, own.signal]);
    let silence = setTimeout(() => own.abort(), this.#options.silenceMs);
    const robot = this.#robot;
    try {
      const response = await this.#options.open(`/console/live${robot === null ? '' : `?robot=${encodeURIComponent(robot)}`}`, {
        headers: { Accept: 'text/event-stream', ...(this.#lastId === '' ? {} : { 'Last-Event-ID': this.#lastId }) },
        signal,
      });
      if (response.status === 401) return 'signed_out';
      if (response.status === 404 && robot !== null) return 'unknown_robot';
      if (!response.ok || response.body === null) {
        end.retryAfterMs = Math.min(60, Number(response.headers.get('Retry-After') ?? 0) || 0) * 1000;
        return end;
      }
      const parser = createParser({
        onEvent: ({ event, id, data }) => {
          if (id !== undefined && id !== '') this.#lastId = id;
          if (event === 'drain') {
            end.drained = true;
            own.abort();
          } else if (event === 'end') {
            end.signedOut = (JSON.parse(data) as { code?: unknown }).code === 'signed_out';
            own.abort();
          } else if (names.has(event ?? '')) this.#options.onEvent({ event, data: JSON.parse(data) as unknown } as LiveEvent, robot);
        },
      });
      const decoder = new TextDecoder();
      end.told = true;
      this.#tell('live');
      for await (const chunk of chunksOf(response.body)) {
        clearTimeout(silence);
        silence = setTimeout(() => own.abort(), this.#options.silenceMs);
        parser.feed(decoder.decode(chunk, { stream: true }));
      }
    } catch (error) {
      if (error instanceof CallError && error.code === 'signed_out') return 'signed_out';
      // Cut, silent, or not to be reached: all the same, it is tried again.
    } finally {
      clearTimeout(silence);
      own.abort();
    }
    return end.signedOut ? 'signed_out' : end;
  }

  #expectSoon(): void {
    this.#graceTimer ??= setTimeout(() => {
      this.#graceTimer = undefined;
      this.#tell('lost');
    }, this.#options.graceMs);
  }

  #tell(status: LiveStatus): void {
    if (status !== 'connecting') {
      clearTimeout(this.#graceTimer);
      this.#graceTimer = undefined;
    }
    if (status === this.#status) return;
    this.#status = status;
    this.#options.onStatus(status);
  }

  #pause(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((done) => {
      const timer = setTimeout(() => this.#wake(), ms);
      this.#wake = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', this.#wake);
        this.#wake = () => {};
        done();
      };
      signal.addEventListener('abort', this.#wake);
    });
  }
}

type End = 'signed_out' | 'unknown_robot' | { told: boolean; drained: boolean; retryAfterMs: number };

/** Not every browser iterates a body by itself. */
async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
