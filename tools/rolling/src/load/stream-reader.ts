/** A program that reads a robot's events as a stream and reconnects from the last received event. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientKey, History } from '@perch/chaos';
import { EventStreamClient } from '@perch/testkit';

export interface StreamReaderOptions {
  url: string;
  robot: string;
  account: string;
  key: ClientKey;
  history: History;
}

const pauseMs = 100;

export class StreamReader {
  readonly robot: string;
  readonly seqs: number[] = [];
  broken = 0;
  readonly #options: StreamReaderOptions;
  #stream: EventStreamClient | null = null;
  #running = true;
  readonly #done: Promise<void>;

  constructor(options: StreamReaderOptions) {
    this.#options = options;
    this.robot = options.robot;
    this.#done = this.#read();
  }

  /** Waits for the event. @returns whether it was received in time */
  async reaches(seq: number, withinMs: number): Promise<boolean> {
    const until = performance.now() + withinMs;
    while ((this.#last() ?? 0) < seq && performance.now() < until) await sleep(50);
    return (this.#last() ?? 0) >= seq;
  }

  async stop(): Promise<void> {
    this.#running = false;
    this.#stream?.close();
    await this.#done;
  }

  #last(): number | undefined {
    const open = this.#stream?.messages.at(-1);
    return open === undefined ? this.seqs.at(-1) : Number(open.id);
  }

  async #read(): Promise<void> {
    const { url, robot, account, key, history } = this.#options;
    const { id, apiKey } = key;
    while (this.#running) {
      const asked = { kind: 'inspect' } as const;
      const call = history.call({ account, apiKey: id, robot, action: 'stream', gateway: 'haproxy', asked, key: null, withinMs: 5000 });
      try {
        const last = this.seqs.at(-1);
        const headers: Record<string, string> = last === undefined ? {} : { 'last-event-id': String(last) };
        const stream = await EventStreamClient.open(`${url}/v1/robots/${robot}/events${last === undefined ? '?after=0' : ''}`, { apiKey, headers });
        call.end({ how: 'answered', status: stream.status, body: stream.status === 200 ? { ok: true } : await refusal(stream) });
        this.#stream = stream;
        if (!this.#running) stream.close();
        const inOrder = await stream.closed;
        this.#stream = null;
        this.seqs.push(...stream.messages.map(({ id }) => Number(id)));
        if (this.#running && stream.status === 200 && !inOrder) this.broken += 1;
        if (stream.status !== 200) await sleep(pauseMs);
      } catch (error) {
        call.end({ how: 'broken', error: String(error) });
        await sleep(pauseMs);
      }
    }
  }
}

async function refusal(stream: EventStreamClient): Promise<Readonly<Record<string, unknown>>> {
  await stream.closed;
  try {
    return JSON.parse(stream.body) as Record<string, unknown>;
  } catch {
    return { unreadable: stream.body.slice(0, 200) };
  }
}
