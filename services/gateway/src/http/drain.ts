/**
 * Drains a gateway. From the announcement on, answers close their connection, so that clients connect again, elsewhere; everything is still served.
 * The drain itself accepts no new connection, lets calls in flight end, answers polls with what there is, ends event streams with a last event, and lets
 * waits go on for `drainMs`; those that are left then get 503 draining.
 */
import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setImmediate as endOfTurn } from 'node:timers/promises';
import type { Logger } from '@perch/runtime';
import { draining, type HeldCalls } from '../auth/open-calls.js';

/** Requests sent before their client could know are taken for so long on connections that are open: a reset would leave their fate in doubt. */
const lameDuckMs = 250;
/** For answers that are on their way when the waits have been ended. */
const lastAnswersMs = 2_000;

export class Drain {
  readonly #held: HeldCalls;
  readonly #drainMs: number;
  readonly #log: Logger;
  #active = 0;
  #ended: Promise<void> | null = null;
  #announced = false;
  #refusing = false;
  #onIdle: (() => void) | null = null;

  constructor(held: HeldCalls, drainMs: number, log: Logger) {
    this.#held = held;
    this.#drainMs = drainMs;
    this.#log = log;
  }

  /** A request begins. */
  enter(): void {
    this.#active++;
  }

  /** A request has ended, one way or another. */
  leave(): void {
    this.#active--;
    if (this.#active === 0) this.#onIdle?.();
  }

  /** @throws {ApiError} draining, for a request that came on a connection kept alive */
  refuseNew(): void {
    if (this.#refusing) throw draining();
  }

  /** The drain follows: from now on answers close their connection. */
  announce(): void {
    this.#announced = true;
  }

  /** Whether an answer that goes out now is the last on its connection. */
  get announced(): boolean {
    return this.#announced;
  }

  /**
   * Resolves when all calls have ended and the server is closed. Every call returns the promise of the one drain.
   * @param signal cuts the drain short; only the first call's counts
   */
  run(server: Server, signal: AbortSignal): Promise<void> {
    this.announce();
    this.#ended ??= this.#run(server, signal);
    return this.#ended;
  }

  async #run(server: Server, signal: AbortSignal): Promise<void> {
    const closed = new Promise<void>((resolve) => server.once('close', resolve));
    await arrived();
    // Not `server.close()`, which resets idle connections at once, and with them requests that are on their way.
    NetServer.prototype.close.call(server);
    this.#held.endReads();
    await new Promise((resolve) => setTimeout(resolve, lameDuckMs));
    this.#refusing = true;
    await arrived();
    server.closeIdleConnections();
    if (!(await this.#idle(this.#drainMs, signal))) {
      this.#log.info({ waits: this.#held.count('wait') }, 'ending the waits that are left');
      this.#held.endAll();
      await this.#idle(lastAnswersMs, signal);
    }
    server.closeAllConnections();
    await closed;
  }

  get #idleNow(): boolean {
    return this.#active === 0;
  }

  async #idle(withinMs: number, signal: AbortSignal): Promise<boolean> {
    if (this.#idleNow) return true;
    if (signal.aborted) return false;
    await new Promise<void>((resolve) => {
      const finish = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', finish);
        this.#onIdle = null;
        resolve();
      };
      const timer = setTimeout(finish, withinMs);
      signal.addEventListener('abort', finish, { once: true });
      this.#onIdle = finish;
    });
    return this.#idleNow;
  }
}

/**
 * What the kernel had for us is in our hands: connections are accepted in one turn of the event loop and read from in the next.
 * A process that was held up closes its ears only after that.
 */
async function arrived(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await endOfTurn();
}
