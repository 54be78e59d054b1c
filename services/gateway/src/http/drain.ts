/**
 * From the announcement on, every response closes its connection, and requests are still served. The drain itself accepts no connections, finishes
 * calls in flight, answers polls with the events so far, ends event streams with a last event, and waits after `drainMs` with 503.
 */
import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { AsyncSignal, type Logger } from '@perch/runtime';
import { draining } from '../calls/failures.js';
import type { OpenCalls } from '../calls/open-calls.js';

/** Open connections accept requests, ms: one may be in transit, and a reset would leave its outcome unknown. */
const lameDuckMs = 250;
const lastAnswersMs = 2_000;

export class Drain {
  readonly #openCalls: OpenCalls;
  readonly #drainMs: number;
  readonly #log: Logger;
  #active = 0;
  #ended: Promise<void> | null = null;
  #announced = false;
  #refusing = false;
  readonly #idle = new AsyncSignal();

  constructor(openCalls: OpenCalls, drainMs: number, log: Logger) {
    this.#openCalls = openCalls;
    this.#drainMs = drainMs;
    this.#log = log;
  }

  enter(): void {
    this.#active++;
  }

  /** To be called once per `enter`, however the request ended. */
  leave(): void {
    this.#active--;
    if (this.#active === 0) this.#idle.set();
  }

  /** Rejects a request that arrives on a kept-alive connection during the drain. @throws {ApiError} draining */
  refuseNew(): void {
    if (this.#refusing) throw draining();
  }

  announce(): void {
    this.#announced = true;
  }

  get announced(): boolean {
    return this.#announced;
  }

  /** Later calls return the promise of the first. @param signal cuts the drain short; only the signal of the first call counts */
  run(server: Server, signal: AbortSignal): Promise<void> {
    this.announce();
    this.#ended ??= this.#run(server, signal);
    return this.#ended;
  }

  async #run(server: Server, signal: AbortSignal): Promise<void> {
    const closed = new Promise<void>((resolve) => server.once('close', resolve));
    await acceptPending();
    // Not `server.close()`, which resets idle connections at once, together with requests that are already in transit.
    NetServer.prototype.close.call(server);
    this.#openCalls.endReads();
    await new Promise((resolve) => setTimeout(resolve, lameDuckMs));
    this.#refusing = true;
    await acceptPending();
    server.closeIdleConnections();
    if (!(await this.#untilIdle(this.#drainMs, signal))) {
      this.#log.info({ waits: this.#openCalls.count('wait') }, 'ending the remaining waits');
      this.#openCalls.endAll();
      await this.#untilIdle(lastAnswersMs, signal);
    }
    server.closeAllConnections();
    await closed;
  }

  /** @returns false if requests are still active after `withinMs` or at the abort */
  async #untilIdle(withinMs: number, signal: AbortSignal): Promise<boolean> {
    const until = performance.now() + withinMs;
    while (this.#active > 0 && !signal.aborted && performance.now() < until)
      await this.#idle.wait(until - performance.now(), signal).catch(() => false);
    return this.#active === 0;
  }
}

/** Resolves when all that the kernel queued is accepted and read, which takes two iterations: a blocked process must not stop listening before. */
async function acceptPending(): Promise<void> {
  for (let tick = 0; tick < 3; tick++) await nextIteration();
}
