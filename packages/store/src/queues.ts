import { Queue, type QueueOptions } from 'bullmq';
import { sharedKeys } from './keys.js';
import type { Connections } from './redis.js';

/** A queue that is opened when it is first asked for, over the connection for commands: it fails fast. */
export class LazyQueue<Data> {
  readonly #redis: Connections;
  readonly #name: string;
  readonly #onError: (error: Error) => void;
  #queue: Promise<Queue<Data>> | null = null;

  constructor(redis: Connections, name: string, onError: (error: Error) => void) {
    this.#redis = redis;
    this.#name = name;
    this.#onError = onError;
  }

  opened(): Promise<Queue<Data>> {
    this.#queue ??= this.#open().catch((error: unknown) => {
      this.#queue = null;
      throw error;
    });
    return this.#queue;
  }

  async close(): Promise<void> {
    await this.#queue?.then((queue) => queue.close()).catch(this.#onError);
  }

  async #open(): Promise<Queue<Data>> {
    const options: QueueOptions = {
      connection: this.#redis.commands,
      prefix: sharedKeys.jobs(),
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
