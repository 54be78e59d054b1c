/** A BullMQ worker for each job shard. They share `concurrency` and a connection, which resends interrupted commands; each has a blocking one. */
import { setTimeout as setTimeoutAsync } from 'node:timers/promises';
import { type Job, type WorkerOptions, Worker, type Processor } from 'bullmq';
import { Cluster, type ClusterOptions } from 'ioredis';
import { sharedKeys } from '../redis/keys.js';
import { pingRegularly } from '../redis/cluster-nodes.js';
import type { Connections } from '../redis/connections.js';

const endsWithinMs = 2000;
/** From disconnecting to the `end` of a connection to a Redis that can be reached. */
const disconnectsWithinMs = 500;
const givenUpAfterMs = 3000;
const checkEveryMs = 50;
/** A connection without a reply for so long is replaced, and its commands are sent again; a job that Redis gave out meanwhile counts as stalled. */
const silentMaxMs = 10_000;
/** Pause after Redis refused a command; doubled each time up to the maximum. */
const pauseMinMs = 250;
const pauseMaxMs = 5000;

export type WorkerLimits = Required<Pick<WorkerOptions, 'concurrency' | 'lockDuration' | 'stalledInterval' | 'maxStalledCount'>>;

export interface Work<Data> {
  run(job: Job<Data>, token: string, shard: number): Promise<void>;
  /** Called when a job failed permanently or brought down its worker too often. */
  failed?(job: Job<Data> | undefined, error: Error, shard: number): void;
}

type AnyWorker = SlotWorker<unknown>;

interface WorkedQueue {
  slots: Slots;
  open: (shard: number) => AnyWorker;
}

export class Workers {
  readonly #redis: Connections;
  readonly #connection: Connection;
  readonly #blocking: Connection[] = [];
  readonly #onError: (error: Error) => void;
  readonly #workers: AnyWorker[] = [];
  readonly #queues: WorkedQueue[] = [];
  #shards = 0;
  readonly #pauses = new Set<NodeJS.Timeout>();
  readonly #pings: NodeJS.Timeout;
  #running = 0;
  #closing: Promise<void> | null = null;

  constructor(redis: Connections, onError: (error: Error) => void) {
    this.#redis = redis;
    // None of the settings of the connection for commands fit.
    this.#connection = redis.duplicate({
      maxRetriesPerRequest: null,
      enableOfflineQueue: true,
      autoResendUnfulfilledCommands: true,
      commandTimeout: undefined,
      socketTimeout: silentMaxMs,
    });
    const duplicate = this.#connection.duplicate.bind(this.#connection) as (...given: unknown[]) => Connection;
    this.#connection.duplicate = (...given: unknown[]): never => {
      // Redis answers a blocking read late; BullMQ replaces its connection when an answer is overdue.
      const mayBeSilent = { socketTimeout: undefined };
      const made =
        this.#connection instanceof Cluster
          ? duplicate(given[0], { ...(given[1] as object), redisOptions: { ...(given[1] as ClusterOptions)?.redisOptions, ...mayBeSilent } })
          : duplicate({ ...(given[0] as object), ...mayBeSilent });
      this.#blocking.push(made);
      redis.watch(made, 'blocking');
      return made as never;
    };
    this.#onError = onError;
    // While there are no jobs it would be silent, and the next one wait for a reply that never comes.
    this.#pings = pingRegularly(this.#connection);
  }

  get shards(): number {
    return this.#shards;
  }

  /** Returns the slots that the workers of all shards share. */
  add<Data>(queue: string, work: Work<Data>, { concurrency, ...limits }: WorkerLimits): Slots {
    const slots = new Slots(concurrency);
    const open = (shard: number): AnyWorker => {
      const prefix = sharedKeys.jobs(shard);
      const run = async (job: Job<Data>, token?: string): Promise<void> => {
        this.#running += 1;
        try {
          await work.run(job, token!, shard);
        } finally {
          this.#running -= 1;
        }
      };
      const options: WorkerOptions = {
        ...limits,
        concurrency,
        connection: this.#connection,
        prefix,
        runRetryDelay: 500,
        skipVersionCheck: true,
        removeOnComplete: { count: 0 },
        removeOnFail: { count: 0 },
      };
      // The marker that BullMQ sets on a queue with jobs.
      const wakeAnother = (): Promise<unknown> => this.#redis.commands.zadd(`${prefix}:${queue}:marker`, 0, '0');
      const worker = new SlotWorker<Data>(queue, run, options, slots, wakeAnother);
      worker.on('error', this.#onError);
      worker.on('failed', (job, error) => work.failed?.(job, error, shard));
      return worker as unknown as AnyWorker;
    };
    this.#queues.push({ slots, open });
    for (let shard = 0; shard < this.#shards; shard++) this.#open(open, shard);
    return slots;
  }

  openShards(shards: number): void {
    if (this.#closing !== null) return;
    for (; this.#shards < shards; this.#shards++) for (const { open } of this.#queues) this.#open(open, this.#shards);
  }

  #open(open: WorkedQueue['open'], shard: number): void {
    const worker = open(shard);
    this.#pauseWhenRefused(worker);
    this.#workers.push(worker);
  }

  /** Pauses a worker that Redis refuses, twice as long each time until a job succeeds: BullMQ would otherwise retry hundreds of times a second. */
  #pauseWhenRefused(worker: AnyWorker): void {
    let pauseMs = pauseMinMs;
    worker.on('completed', () => (pauseMs = pauseMinMs));
    worker.on('error', (error) => {
      if (error.name !== 'ReplyError' || worker.isPaused() || this.#closing !== null) return;
      void worker.pause(true);
      const timer = setTimeout(() => {
        this.#pauses.delete(timer);
        void worker.resume();
      }, pauseMs);
      this.#pauses.add(timer);
      pauseMs = Math.min(2 * pauseMs, pauseMaxMs);
    });
  }

  async ready(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.waitUntilReady()));
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    clearInterval(this.#pings);
    for (const timer of this.#pauses) clearTimeout(timer);
    const closed = Promise.all(this.#workers.map((worker) => worker.close())).then(() => true);
    for (const { slots } of this.#queues) slots.close();
    const all = new AbortController();
    const isClosed = await Promise.race([closed, this.#idle(all.signal)]);
    all.abort();
    // Redis is unreachable or very slow: other workers will notice the stalled jobs.
    if (!isClosed) await this.#giveUp(closed);
    this.#connection.disconnect();
  }

  /**
   * Disconnects, after which BullMQ closes, and does not wait for ever: a connection to a Cluster that is disconnected while it is being opened may stay
   * in a state in which commands are neither sent nor fail.
   */
  async #giveUp(closed: Promise<boolean>): Promise<void> {
    const connections = [this.#connection, ...this.#blocking];
    await Promise.all(connections.map(leave));
    await Promise.race([closed.catch(() => {}), setTimeoutAsync(givenUpAfterMs)]);
    for (const connection of connections) connection.disconnect();
    for (const worker of this.#workers) worker.abandon();
  }

  async #idle(signal: AbortSignal): Promise<false> {
    let since = performance.now();
    while (!signal.aborted && performance.now() - since < endsWithinMs) {
      await setTimeoutAsync(checkEveryMs);
      if (this.#running > 0) since = performance.now();
    }
    return false;
  }
}

type Connection = ReturnType<Connections['duplicate']>;

/** Disconnects so that `end` is emitted, which BullMQ awaits. */
async function leave(connection: Connection): Promise<void> {
  if (connection.status === 'end') return;
  const ended = new Promise((resolve) => connection.once('end', resolve));
  connection.disconnect();
  await Promise.race([ended, setTimeoutAsync(disconnectsWithinMs)]);
  if ((connection.status as string) === 'end') return;
  // ioredis, disconnected while it waits to reconnect, never emits it by itself. A connection that is still closing must not be opened.
  await Promise.race([connection.connect().catch(() => {}), setTimeoutAsync(disconnectsWithinMs)]);
  connection.disconnect();
}

/** Takes a job only when it has a slot for it: a job held idle by one of an instance's workers would be unavailable to other instances. */
class SlotWorker<Data> extends Worker<Data> {
  readonly #slots: Slots;
  /** Restores the marker that woke this worker, so that it wakes a worker of another instance. */
  readonly #wakeAnother: () => Promise<unknown>;
  /** Tokens of jobs being fetched or processed: a job fetched at the end of another keeps that one's token and slot. */
  readonly #holding = new Set<string>();

  constructor(name: string, work: Processor<Data>, options: WorkerOptions, slots: Slots, wakeAnother: () => Promise<unknown>) {
    super(name, work, { ...options, autorun: false });
    this.#slots = slots;
    this.#wakeAnother = wakeAnother;
    // Started here: BullMQ may fetch from now on.
    this.run().catch((error: unknown) => this.emit('error', error as Error));
  }

  /** Ends the timer that extends the locks of jobs, to which BullMQ's `close` does not come if Redis does not reply. */
  abandon(): void {
    void this.lockManager.close();
  }

  protected override async moveToActive(token: string, name?: string): Promise<Job<Data>> {
    if (!this.#holding.has(token)) {
      if (!(await this.#slot())) return undefined as unknown as Job<Data>;
      this.#holding.add(token);
    }
    let job: Job<Data> | undefined;
    try {
      job = await super.moveToActive(token, name);
    } finally {
      if (job === undefined) this.#release(token);
      // The fetch set the marker again: the next one waits for it instead of being a script that mostly finds nothing.
      else (this as unknown as { drained: boolean }).drained = true;
    }
    return job;
  }

  override async processJob(job: Job<Data>, token: string, fetchNext: () => boolean = () => true): Promise<void | Job<Data>> {
    let next: void | Job<Data> = undefined;
    try {
      // A waiting worker of another shard gets the slot before this shard's next job. If this worker waits for the marker, a job would have woken it.
      next = await super.processJob(job, token, () => !this.#slots.contended && !this.#isWaiting && fetchNext());
    } finally {
      if (!next) this.#release(token);
    }
    return next;
  }

  get #isWaiting(): boolean {
    return (this as unknown as { waiting: Promise<unknown> | null }).waiting !== null;
  }

  async #slot(): Promise<boolean> {
    if (this.#slots.take()) return true;
    // While BullMQ's loop awaits a fetch it starts no fetched job, unless `waiting` (used for nothing else here) says that the fetch may take long.
    const loop = this as unknown as { waiting: Promise<unknown> | null };
    const waiting = this.#nextSlot();
    const isOurs = loop.waiting === null;
    if (isOurs) loop.waiting = waiting;
    try {
      return await waiting;
    } finally {
      if (isOurs) loop.waiting = null;
    }
  }

  async #nextSlot(): Promise<boolean> {
    // Connection errors recur in the fetch that follows.
    await this.#wakeAnother().catch(() => {});
    return this.#slots.wait();
  }

  #release(token: string): void {
    if (this.#holding.delete(token)) this.#slots.release();
  }
}

/** The jobs that one instance processes at a time, for its workers of several queues. A free slot goes to the worker that has waited longest. */
export class Slots {
  #free: number;
  readonly #waiting: ((taken: boolean) => void)[] = [];
  #closed = false;
  /** Called when the number of free slots has changed. */
  onChange: () => void = () => {};

  readonly total: number;

  constructor(total: number) {
    this.total = total;
    this.#free = total;
  }

  get free(): number {
    return this.#free;
  }

  get contended(): boolean {
    return this.#waiting.length > 0;
  }

  take(): boolean {
    if (this.#free === 0) return false;
    this.#free -= 1;
    this.onChange();
    return true;
  }

  /** @returns false when `close` was called before a slot was free */
  wait(): Promise<boolean> {
    if (this.#closed || this.take()) return Promise.resolve(!this.#closed);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  release(): void {
    const next = this.#waiting.shift();
    if (next !== undefined) return next(true);
    this.#free += 1;
    this.onChange();
  }

  close(): void {
    this.#closed = true;
    for (const resolve of this.#waiting.splice(0)) resolve(false);
  }
}
