/** Parts start in order and stop in reverse order, once, within one deadline. Only `run` binds them to the process: signals, failures, exit code. */
import { setTimeout as sleep } from 'node:timers/promises';
import { StartRefused } from '@perch/schema/plain';
import { withinMs } from '../concurrency.js';
import type { Health } from '../health.js';
import type { Logger } from '../log.js';

/** A part of a process that is started and stopped. If `start` throws, it must have cleaned up: `stop` is not called. */
export interface Part {
  readonly name: string;
  /** @param signal aborted when the process is asked to stop before it has started */
  start?(signal: AbortSignal): Promise<void> | void;
  /** Called once when readiness ends. The part continues to serve; `stop` follows after the drain delay. */
  stopsSoon?(): void;
  /** @param signal aborted at the deadline, when the process exits regardless */
  stop?(signal: AbortSignal): Promise<void> | void;
}

export interface LifecycleOptions {
  log: Logger;
  /** Time for all parts together to stop: the drain and a few seconds, without the drain delay. */
  stopMs: number;
  /** How long the process continues to serve after SIGTERM while it is no longer ready, so that load balancers notice. Default: 0. */
  drainDelayMs?: number;
  /** Its phase is kept up to date: readiness ends as soon as a stop begins. */
  health?: Health;
}

/** One press of Ctrl-C can arrive twice: from the terminal, and forwarded by npm. */
const samePressMs = 300;

export class Lifecycle {
  readonly #options: LifecycleOptions;
  readonly #parts: Part[] = [];
  readonly #started: Part[] = [];
  readonly #stopping = new AbortController();
  #starting: Promise<void> | null = null;
  #stopped: Promise<boolean> | null = null;
  #delayed: Promise<boolean> | null = null;
  #failed = false;
  #running = false;
  #readinessEnded = false;

  constructor(options: LifecycleOptions) {
    this.#options = options;
  }

  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  add(part: Part): void {
    if (this.#starting !== null) throw new Error(`${part.name} was added after the start`);
    this.#parts.push(part);
  }

  /**
   * Starts the parts one after another, so that a part can use those before it.
   * A stop meanwhile waits for the part that is starting and starts no further one.
   * @throws the error of a part's `start`; the parts started before it are still running until `stop` is called
   */
  start(): Promise<void> {
    this.#starting ??= this.#startParts();
    return this.#starting;
  }

  async #startParts(): Promise<void> {
    const { log, health } = this.#options;
    for (const part of this.#parts) {
      if (this.stopping.aborted) return;
      log.debug({ part: part.name }, 'starting');
      await part.start?.(this.stopping);
      this.#started.push(part);
    }
    if (this.stopping.aborted) return;
    this.#running = true;
    if (health !== undefined) health.phase = 'running';
  }

  /**
   * Ends readiness, lets the parts continue to serve for `drainDelayMs`, then stops them. A call of `stop` meanwhile ends the delay.
   * A process that has not finished starting was never ready, and stops at once.
   * @returns as `stop`; all calls share one stop
   */
  stopAfterDelay(): Promise<boolean> {
    this.#delayed ??= this.#delayThenStop();
    return this.#delayed;
  }

  async #delayThenStop(): Promise<boolean> {
    const { drainDelayMs = 0 } = this.#options;
    if (drainDelayMs > 0 && this.#running && this.#stopped === null) {
      this.#endReadiness();
      await sleep(drainDelayMs, undefined, { signal: this.stopping }).catch(() => undefined);
    }
    return this.stop();
  }

  /** All calls share one stop; a part that fails does not keep others from stopping. @returns whether all stopped cleanly before the deadline */
  stop(): Promise<boolean> {
    this.#stopped ??= this.#stopWithin();
    return this.#stopped;
  }

  async #stopWithin(): Promise<boolean> {
    const { log, stopMs } = this.#options;
    this.#endReadiness();
    this.#stopping.abort();

    const deadline = new AbortController();
    let stoppingNow = 'the start in progress';
    const stopAll = async (): Promise<boolean> => {
      let clean = true;
      await this.#starting?.catch(() => undefined);
      for (const part of this.#started.toReversed()) {
        if (deadline.signal.aborted) return false;
        stoppingNow = part.name;
        log.debug({ part: part.name }, 'stopping');
        try {
          await part.stop?.(deadline.signal);
        } catch (error) {
          clean = false;
          log.error({ part: part.name, err: error }, 'a part failed to stop');
        }
      }
      return clean;
    };

    return withinMs(stopAll(), stopMs, () => {
      log.error({ part: stoppingNow, stop_ms: stopMs }, 'the stop exceeded its deadline and is aborted');
      deadline.abort();
      return false;
    });
  }

  #endReadiness(): void {
    if (this.#readinessEnded) return;
    this.#readinessEnded = true;
    const { log, health } = this.#options;
    if (health !== undefined) health.phase = 'draining';
    for (const part of this.#started.toReversed()) {
      try {
        part.stopsSoon?.();
      } catch (error) {
        log.error({ part: part.name, err: error }, 'a part failed to prepare its stop');
      }
    }
  }

  /**
   * Starts the parts and binds them to the process; resolves when all have started.
   * SIGTERM (after the drain delay), SIGINT and a parent that closes the IPC channel stop the parts and end the process, with exit code 0 after a
   * clean stop and 1 after a failed one. During the delay a second SIGTERM, or either of the others, ends the delay.
   * A failed start, an uncaught exception and an unhandled rejection are logged; the parts stop and the exit code is 1. For a refused start
   * (StartRefused) only the message is logged, without a stack.
   * A second SIGINT ends the process at once with 130.
   * @param parts added to those given to `add`
   */
  async run(parts: readonly Part[] = []): Promise<void> {
    for (const part of parts) this.add(part);
    this.#bindToProcess();
    try {
      await this.start();
    } catch (error) {
      if (this.stopping.aborted) return this.#hang();
      this.#fail(error, 'the start failed');
    }
    if (this.stopping.aborted) return this.#hang();
  }

  /** Never resolves, so that a main program that is being stopped does not continue and announce that it is ready. */
  #hang(): Promise<never> {
    return new Promise(() => undefined);
  }

  #bindToProcess(): void {
    let firstSigintAt: number | null = null;
    process.on('SIGTERM', () => {
      if (this.#delayed === null) this.#endAfterDelay();
      else this.#end('a second SIGTERM');
    });
    process.on('SIGINT', () => {
      if (firstSigintAt === null) {
        firstSigintAt = performance.now();
        this.#end('SIGINT');
      } else if (performance.now() - firstSigintAt > samePressMs) {
        process.exit(130);
      }
    });
    process.on('uncaughtException', (error) => this.#fail(error, 'uncaught exception'));
    process.on('unhandledRejection', (reason) => this.#fail(reason, 'unhandled rejection'));
    if (process.send === undefined) return;
    if (process.connected) process.once('disconnect', () => this.#end('the parent process disconnected'));
    else this.#end('the parent process disconnected');
  }

  #fail(error: unknown, message: string): void {
    this.#failed = true;
    if (error instanceof StartRefused) this.#options.log.fatal(error.message);
    else this.#options.log.fatal({ err: error }, message);
    this.#end('failure');
  }

  #endAfterDelay(): void {
    if (this.#stopped !== null) return;
    this.#options.log.info({ reason: 'SIGTERM', drain_delay_ms: this.#options.drainDelayMs ?? 0 }, 'stopping');
    this.#exitAfter(this.stopAfterDelay());
  }

  #end(reason: string): void {
    if (this.#stopped !== null) return;
    this.#options.log.info({ reason }, 'stopping');
    this.#exitAfter(this.stop());
  }

  #exitAfter(stopped: Promise<boolean>): void {
    void stopped.then((clean) => {
      const code = clean && !this.#failed ? 0 : 1;
      this.#options.log.info({ code }, 'stopped');
      process.exit(code);
    });
  }
}
