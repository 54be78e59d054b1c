/** What every BullMQ queue and worker of ours is made with. */
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

  /**
   * BullMQ adds its scripts to the connection while that is in use, and an automatic pipeline knows only the scripts there were when it began.
   * One of BullMQ's in an older pipeline fails, and so does the pipeline: answers reach the wrong callers, and ioredis throws where nobody
   * catches. So the pipeline that was open when the scripts came, the one for the node of `jobs`, leaves before a job is asked for.
   */
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
      await this.#redis.commands.exists(sharedKeys.jobs());
      return queue;
    } catch (error) {
      await queue.close().catch(this.#onError);
      throw error;
    }
  }
}

/** BullMQ blocks on this connection and repeats by itself what a lost connection interrupted: none of the settings for commands fit. */
export function workerConnection(redis: Connections): ReturnType<Connections['duplicate']> {
  return redis.duplicate({
    maxRetriesPerRequest: null,
    enableOfflineQueue: true,
    autoResendUnfulfilledCommands: true,
    commandTimeout: undefined,
    socketTimeout: undefined,
  });
}
