/**
 * The life of a process: its parts start in order and stop in reverse, once, within one deadline.
 * `start` and `stop` touch only the parts; `run` binds them to the process: signals, failures nobody caught, a parent that left, and the exit code.
 */
import { StartRefused } from '@perch/schema/plain';
import type { Health } from './health.js';
import type { Logger } from './log.js';

/** What has to be started and stopped. A `start` that throws has cleaned up after itself: its `stop` is not called. */
export interface Part {
  readonly name: string;
  /** @param signal aborted when the process is told to stop before it has started */
  start?(signal: AbortSignal): Promise<void> | void;
  /** Called once when readiness ends: `stop` follows after the drain delay, and the part serves on until then. */
  stopsSoon?(): void;
  /** @param signal aborted when the deadline has passed and the process is about to end regardless */
  stop?(signal: AbortSignal): Promise<void> | void;
}

export interface LifecycleOptions {
  log: Logger;
  /** All parts together have this long to stop: the drain and a few seconds. The delay before the drain is not part of it. */
  stopMs: number;
  /** How long the process goes on serving after SIGTERM while it is already not ready, so that load balancers notice first. Default: 0. */
  drainDelayMs?: number;
  /** Told the phase, so that readiness ends the moment a stop begins. */
  health?: Health;
}

/** One press of Ctrl-C may arrive twice: from the terminal, and passed on by npm. */
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
  /** Whether all parts have started. */
  #running = false;
  /** Whether readiness has ended for good. */
  #leaving = false;

  constructor(options: LifecycleOptions) {
    this.#options = options;
  }

  /** Aborted when the stop begins: for held calls that answer "draining". */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  add(part: Part): void {
    if (this.#starting !== null) throw new Error(`${part.name} was added after the start`);
    this.#parts.push(part);
  }

  /**
   * Starts the parts in order; one by one, so that a part may use those before it.
   * A stop that comes meanwhile lets the part under way end and starts no further one.
   * @throws what a part's `start` throws; parts that had started are still up, `stop` takes them down
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
   * Ends readiness, lets the parts serve on for `drainDelayMs`, then stops them. A call of `stop` meanwhile ends the delay.
   * A process that has not finished starting was never ready, and stops at once.
   * @returns as `stop`; every call is the same stop
   */
  stopAfterDelay(): Promise<boolean> {
    this.#delayed ??= this.#delayThenStop();
    return this.#delayed;
  }

  async #delayThenStop(): Promise<boolean> {
    const { drainDelayMs = 0 } = this.#options;
    if (drainDelayMs > 0 && this.#running && this.#stopped === null) {
      this.#endReadiness();
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, drainDelayMs);
        const cut = (): void => {
          clearTimeout(timer);
          resolve();
        };
        this.stopping.addEventListener('abort', cut, { once: true });
      });
    }
    return this.stop();
  }

  /**
   * Stops what was started, in reverse, without a delay; every call is the same stop. A part that fails does not keep the others from stopping.
   * @returns whether every part stopped cleanly before the deadline
   */
  stop(): Promise<boolean> {
    this.#stopped ??= this.#stopWithin();
    return this.#stopped;
  }

  async #stopWithin(): Promise<boolean> {
    const { log, stopMs } = this.#options;
    this.#endReadiness();
    this.#stopping.abort();

    const deadline = new AbortController();
    let stoppingNow = 'the start under way';
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

    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => {
        log.error({ part: stoppingNow, stop_ms: stopMs }, 'the stop took too long and is cut short');
        deadline.abort();
        resolve(false);
      }, stopMs);
    });
    try {
      return await Promise.race([stopAll(), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  #endReadiness(): void {
    if (this.#leaving) return;
    this.#leaving = true;
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
   * SIGTERM (after the delay), SIGINT and a parent that closes its channel stop them and end the process: 0 after a clean stop, 1 after a failed one.
   * A second SIGTERM, or either of the others, ends the delay. A start that fails, an exception or a rejection nobody caught: logged, stopped, 1.
   * Of a start that is refused (StartRefused) only the sentence is logged.
   * A second SIGINT ends the process at once: 130.
   * @param parts added to those already there
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

  /** A main that is being stopped must not go on to announce that it is ready. */
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
    process.on('uncaughtException', (error) => this.#fail(error, 'an exception nobody caught'));
    process.on('unhandledRejection', (reason) => this.#fail(reason, 'a rejection nobody caught'));
    if (process.send === undefined) return;
    if (process.connected) process.once('disconnect', () => this.#end('the parent process left'));
    else this.#end('the parent process left');
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
