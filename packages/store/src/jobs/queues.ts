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
