/** The live stream of the page. It reports a lost connection only after a retry failed or took long, so that a gateway that drains goes unnoticed. */
import { createParser } from 'eventsource-parser';
import type { LiveEvent } from '@perch/schema';
import { CallError } from '../call-error.js';

export type LiveStatus = 'connecting' | 'live' | 'lost';

export interface LiveStreamOptions {
  /** @throws {CallError} signed_out, if the response is for another account */
  open(path: string, init: { headers: Record<string, string>; signal: AbortSignal }): Promise<Response>;
  onEvent(event: LiveEvent, robot: string | null): void;
  onStatus(status: LiveStatus): void;
  /** The stream does not reconnect until `resume`. */
  onSignedOut(): void;
  /** The service sends a comment every 15 s; a longer silence counts as dead. */
  silenceMs?: number;
  /** Pause, ms: doubles from `first` to `last`, with up to 50 % jitter. */
  retryMs?: { first: number; last: number };
  /** Time without a connection before the status becomes `lost`. */
  graceMs?: number;
}

const names: ReadonlySet<string> = new Set<LiveEvent['event']>(['robots', 'twin', 'event', 'gap']);

export class LiveStream {
  readonly #options: Required<LiveStreamOptions>;
  #robot: string | null = null;
  #lastId = '';
  #session = '';
  #paused = false;
  #running: AbortController | null = null;
  #status: LiveStatus = 'connecting';
  #graceTimer: ReturnType<typeof setTimeout> | undefined;
  #wake: () => void = () => {};

  constructor(options: LiveStreamOptions) {
    this.#options = { silenceMs: 45_000, retryMs: { first: 500, last: 10_000 }, graceMs: 2500, ...options };
  }

  watch(robot: string | null): void {
    if (robot === this.#robot) return;
    this.#lastId = '';
    this.#robot = robot;
    if (this.#running !== null) this.#restart();
  }

  /** Reconnects if the session differs from the previous one. */
  start(session: string): void {
    if (this.#running !== null && session === this.#session) return;
    this.#session = session;
    if (!this.#paused) this.#restart();
  }

  /** `resume` continues after the last event received. */
  pause(): void {
    this.#paused = true;
    this.stop();
  }

  /** Connects, or retries now instead of after its pause. */
  resume(): void {
    this.#paused = false;
    if (this.#running === null) this.#restart();
    else this.#wake();
  }

  /** Reconnects on a lost network, which an open connection would not report for a long time. */
  reconnect(): void {
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
    if (this.#status !== 'live') this.#setStatus('connecting');
    this.#startGrace();
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
      failures = end.opened ? 0 : failures + 1;
      if (failures > 1) this.#setStatus('lost');
      else this.#startGrace();
      const { first, last } = this.#options.retryMs;
      const delay = end.drained ? Math.random() * first : Math.min(last, first * 2 ** failures) * (0.5 + Math.random() / 2);
      await this.#wait(Math.max(delay, end.retryAfterMs), signal);
    }
  }

  async #read(outer: AbortSignal): Promise<End> {
    const end = { opened: false, drained: false, signedOut: false, retryAfterMs: 0 };
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
      end.opened = true;
      this.#setStatus('live');
      for await (const chunk of chunksOf(response.body)) {
        clearTimeout(silence);
        silence = setTimeout(() => own.abort(), this.#options.silenceMs);
        parser.feed(decoder.decode(chunk, { stream: true }));
      }
    } catch (error) {
      if (error instanceof CallError && error.code === 'signed_out') return 'signed_out';
      // Closed, silent or unreachable: retried in any case.
    } finally {
      clearTimeout(silence);
      own.abort();
    }
    return end.signedOut ? 'signed_out' : end;
  }

  #startGrace(): void {
    this.#graceTimer ??= setTimeout(() => {
      this.#graceTimer = undefined;
      this.#setStatus('lost');
    }, this.#options.graceMs);
  }

  #setStatus(status: LiveStatus): void {
    if (status !== 'connecting') {
      clearTimeout(this.#graceTimer);
      this.#graceTimer = undefined;
    }
    if (status === this.#status) return;
    this.#status = status;
    this.#options.onStatus(status);
  }

  #wait(ms: number, signal: AbortSignal): Promise<void> {
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

type End = 'signed_out' | 'unknown_robot' | { opened: boolean; drained: boolean; retryAfterMs: number };

/** Some browsers lack an async iterator for a body. */
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
