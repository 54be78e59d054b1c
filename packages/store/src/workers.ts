/** Workers on BullMQ's queues, over one connection that blocks and repeats by itself what a lost one interrupted. */
import { setTimeout as setTimeoutAsync } from 'node:timers/promises';
import { Worker, type Job, type WorkerOptions } from 'bullmq';
import { sharedKeys } from './keys.js';
import type { Connections } from './redis.js';

/** How long the end of workers that have no job is waited for, ms. */
const endsWithinMs = 2000;
const lookEveryMs = 50;
/** Pause of a worker whose command Redis refused; doubled up to the maximum. */
const pauseMinMs = 250;
const pauseMaxMs = 5000;

export type WorkerLimits = Pick<WorkerOptions, 'concurrency' | 'lockDuration' | 'stalledInterval' | 'maxStalledCount'>;

export class Workers {
  readonly #connection: Connection;
  /** Those that BullMQ made of it, to block on. */
  readonly #blocking: Connection[] = [];
  readonly #onError: (error: Error) => void;
  readonly #workers: Worker[] = [];
  readonly #pauses = new Set<NodeJS.Timeout>();
  #underWay = 0;
  #closing: Promise<void> | null = null;

  constructor(redis: Connections, onError: (error: Error) => void) {
    // None of the settings for commands fit.
    this.#connection = redis.duplicate({
      maxRetriesPerRequest: null,
      enableOfflineQueue: true,
      autoResendUnfulfilledCommands: true,
      commandTimeout: undefined,
      socketTimeout: undefined,
    });
    const duplicate = this.#connection.duplicate.bind(this.#connection) as (...given: unknown[]) => Connection;
    this.#connection.duplicate = (...given: unknown[]): never => {
      const made = duplicate(...given);
      this.#blocking.push(made);
      return made as never;
    };
    this.#onError = onError;
  }

  /** Works on a queue's jobs, of which none is kept that is done. */
  add<Data>(queue: string, work: (job: Job<Data>, token: string) => Promise<void>, limits: WorkerLimits): Worker<Data> {
    const counted = async (job: Job<Data>, token?: string): Promise<void> => {
      this.#underWay += 1;
      try {
        await work(job, token!);
      } finally {
        this.#underWay -= 1;
      }
    };
    const worker = new Worker<Data>(queue, counted, {
      ...limits,
      connection: this.#connection,
      prefix: sharedKeys.jobs(),
      runRetryDelay: 500,
      skipVersionCheck: true,
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
    });
    worker.on('error', this.#onError);
    this.#pauseWhenRefused(worker as Worker);
    this.#workers.push(worker as Worker);
    return worker;
  }

  /**
   * Pauses a worker that Redis refuses (memory limit, loading, no quorum), twice as long each time until a job was done: BullMQ asks for the next
   * job at once, hundreds of times a second.
   */
  #pauseWhenRefused(worker: Worker): void {
    let pauseMs = pauseMinMs;
    worker.on('completed', () => (pauseMs = pauseMinMs));
    worker.on('error', (error) => {
      if (error.name !== 'ReplyError' || worker.isPaused() || this.#closing !== null) return;
      // Rejects never: with `true` it waits for nothing.
      void worker.pause(true);
      const timer = setTimeout(() => {
        this.#pauses.delete(timer);
        void worker.resume();
      }, pauseMs);
      this.#pauses.add(timer);
      pauseMs = Math.min(2 * pauseMs, pauseMaxMs);
    });
  }

  /** Resolves once all are connected and take jobs. */
  async ready(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.waitUntilReady()));
  }

  /** Takes no more jobs and resolves when the running ones are done. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    for (const timer of this.#pauses) clearTimeout(timer);
    const closed = Promise.all(this.#workers.map((worker) => worker.close())).then(() => true);
    const all = new AbortController();
    const isClosed = await Promise.race([closed, this.#idle(all.signal)]);
    all.abort();
    // Redis is away: what cannot be told is noticed by another worker.
    if (!isClosed) for (const connection of [this.#connection, ...this.#blocking]) await leave(connection);
    await closed;
    this.#connection.disconnect();
  }

  /** Resolves when no job was under way for a while. */
  async #idle(signal: AbortSignal): Promise<false> {
    let since = performance.now();
    while (!signal.aborted && performance.now() - since < endsWithinMs) {
      await setTimeoutAsync(lookEveryMs);
      if (this.#underWay > 0) since = performance.now();
    }
    return false;
  }
}

type Connection = ReturnType<Connections['duplicate']>;

/**
 * BullMQ waits for its blocking connection to tell its end. ioredis tells none of one that was to connect again when it was told to leave, nor does it
 * fail what was asked on it; after one more attempt it does both.
 */
async function leave(connection: Connection): Promise<void> {
  if (connection.status === 'end') return;
  connection.disconnect();
  await connection.connect().catch(() => {});
  connection.disconnect();
}
