/** The programs that read events: one long poll or one stream for each robot, reopened when it ends, from the last received event. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createParser } from 'eventsource-parser';
import { Counter } from '../counter.js';
import type { EventTally } from './event-tally.js';
import type { Gateways } from './gateways.js';

export interface EventReadersOptions {
  held: Gateways;
  tally: EventTally;
  pollSeconds: number;
}

interface ReadEvent {
  seq: number;
  name: string;
  data: unknown;
}

const pauseMs = 1000;
/** New readers per second: a gateway accepts connections in the event loop that serves calls. */
const openedPerS = 300;
const openedWithinMs = 60_000;

export class EventReaders {
  readonly codes = new Counter();
  readonly #options: EventReadersOptions;
  readonly #reading: Promise<void>[] = [];
  /** One for each reader: a signal searches its listeners for each one that is added, and would have thousands. */
  readonly #aborts: AbortController[] = [];
  #opened = 0;
  readonly #unanswered = new Set<string>();

  constructor(options: EventReadersOptions) {
    this.#options = options;
  }

  poll(robot: string, apiKey: string): void {
    this.#begin(robot, (signal) => this.#poll(robot, apiKey, signal));
  }

  stream(robot: string, apiKey: string): void {
    this.#begin(robot, (signal) => this.#stream(robot, apiKey, signal));
  }

  async opened(): Promise<void> {
    const until = performance.now() + (this.#opened * 1000) / openedPerS + openedWithinMs;
    while (this.#unanswered.size > 0 && performance.now() < until) await sleep(50);
  }

  async stop(): Promise<void> {
    for (const abort of this.#aborts) abort.abort();
    await Promise.all(this.#reading);
  }

  #begin(robot: string, read: (signal: AbortSignal) => Promise<void>): void {
    const abort = new AbortController();
    this.#aborts.push(abort);
    this.#unanswered.add(robot);
    const waitMs = (this.#opened++ * 1000) / openedPerS;
    this.#reading.push(
      sleep(waitMs, undefined, { signal: abort.signal })
        .then(() => read(abort.signal))
        .catch(() => undefined),
    );
  }

  async #poll(robot: string, apiKey: string, signal: AbortSignal): Promise<void> {
    const { held, tally, pollSeconds } = this.#options;
    let after = 0;
    while (!signal.aborted) {
      try {
        const { statusCode, body } = await held.open({ path: `/v1/robots/${robot}/events?after=${after}&seconds=${pollSeconds}`, apiKey }, signal);
        const answer = (await body.json()) as { ok: boolean; code?: string; events: ReadEvent[]; last_seq: number };
        if (statusCode === 200 && answer.ok) {
          this.#unanswered.delete(robot);
          for (const { name, data } of answer.events) tally.seen(robot, name, data);
          after = answer.last_seq;
          continue;
        }
        this.codes.add(answer.code ?? `status ${statusCode}`);
      } catch (error) {
        if (signal.aborted) return;
        this.codes.add((error as { code?: string }).code ?? 'connection');
      }
      await sleep(pauseMs, undefined, { signal });
    }
  }

  async #stream(robot: string, apiKey: string, signal: AbortSignal): Promise<void> {
    const { held, tally } = this.#options;
    let last = '0';
    const parser = createParser({
      onEvent({ event, id, data }) {
        if (event !== undefined && event !== 'message') return;
        if (id !== undefined) last = id;
        const { name, data: fields } = JSON.parse(data) as ReadEvent;
        tally.seen(robot, name, fields);
      },
    });
    while (!signal.aborted) {
      try {
        const headers = { accept: 'text/event-stream', 'last-event-id': last };
        const { statusCode, body } = await held.open({ path: `/v1/robots/${robot}/events`, apiKey, headers }, signal);
        const decoder = new TextDecoder();
        if (statusCode === 200) {
          this.#unanswered.delete(robot);
          for await (const part of body) parser.feed(decoder.decode(part as Uint8Array, { stream: true }));
        } else this.codes.add(((await body.json()) as { code?: string }).code ?? `status ${statusCode}`);
      } catch (error) {
        if (signal.aborted) return;
        this.codes.add((error as { code?: string }).code ?? 'connection');
      }
      parser.reset();
      await sleep(pauseMs, undefined, { signal });
    }
  }
}
