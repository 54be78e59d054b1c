import { Lazy } from '@perch/runtime/plain';
import { Queue, type QueueOptions } from 'bullmq';
import { sharedKeys } from '../redis/keys.js';
import type { Connections } from '../redis/connections.js';

export class ShardedQueue<Data> {
  readonly #open: (shard: number) => LazyQueue<Data>;
  readonly #shards = new Map<number, LazyQueue<Data>>();

  constructor(redis: Connections, name: string, onError: (error: Error) => void) {
    this.#open = (shard) => new LazyQueue(redis, name, onError, shard);
  }

  of(shard: number): Promise<Queue<Data>> {
    let queue = this.#shards.get(shard);
    if (queue === undefined) this.#shards.set(shard, (queue = this.#open(shard)));
    return queue.opened();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#shards.values()].map((queue) => queue.close()));
  }
}

/** Opened on first use, over the connection for commands, so that it fails fast. */
export class LazyQueue<Data> {
  readonly #redis: Connections;
  readonly #name: string;
  readonly #onError: (error: Error) => void;
  readonly #shard: number;
  readonly #queue = new Lazy(() => this.#open());

  constructor(redis: Connections, name: string, onError: (error: Error) => void, shard = 0) {
    this.#redis = redis;
    this.#shard = shard;
    this.#name = name;
    this.#onError = onError;
  }

  opened(): Promise<Queue<Data>> {
    return this.#queue.get();
  }

  async close(): Promise<void> {
    const queue = await this.#queue.ifOpen();
    await queue?.close().catch(this.#onError);
  }

  async #open(): Promise<Queue<Data>> {
    const options: QueueOptions = {
      connection: this.#redis.commands,
      prefix: sharedKeys.jobs(this.#shard),
      skipVersionCheck: true,
      streams: { events: { maxLen: 100 } },
    };
    const queue = new Queue<Data>(this.#name, options);
    queue.on('error', this.#onError);
    try {
      await queue.waitUntilReady();
      return queue;
    } catch (error) {
      await queue.close().catch(this.#onError);
      throw error;
    }
  }
}

export interface JobBacklog {
  waiting: number;
  /** When the oldest job was created, or was due: ms since 1970 on the clock of the machine that created it. Null if none waits for a worker. */
  oldestAt: number | null;
}

/** Jobs visited at each end of a list; in one more than twice as long, the oldest job may be older than reported. */
const visitedMax = 500;

/** Sends one command a shard. @param scheduled where the queue keeps jobs that are not next: by priority, or delayed */
export async function backlogOf(redis: Connections, queue: string, scheduled: 'prioritized' | 'delayed', shards: number): Promise<JobBacklog> {
  const read = await Promise.all(
    Array.from({ length: shards }, (_, shard) => {
      const prefix = `${sharedKeys.jobs(shard)}:${queue}`;
      return redis.script('jobBacklog', [`${prefix}:wait`, `${prefix}:${scheduled}`], [`${prefix}:`, visitedMax, scheduled === 'delayed' ? 1 : '']);
    }),
  );
  const times = read.flatMap(([, oldest]) => (oldest === '' ? [] : [Number(oldest)]));
  return { waiting: read.reduce((sum, [count]) => sum + count, 0), oldestAt: times.length === 0 ? null : Math.min(...times) };
}
