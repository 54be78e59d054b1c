/** All that an instance writes to Redis in one event-loop iteration leaves together (batching.md). */
import type { Socket } from 'node:net';
import { Cluster, type Redis } from 'ioredis';
import { StoreError } from './errors.js';

/**
 * Runs deferred callbacks, then flushes what they wrote to Redis, one iteration late, so that commands arriving meanwhile share the write: a sixth
 * less CPU per action at 16 in flight. A single call waits for nothing, because the loop does not sleep before that (docs/performance.md).
 */
export class TickBatcher {
  #work: (() => void)[] = [];
  #last: (() => void)[] = [];
  #scheduled = false;

  /** If `work` throws, the exception is uncaught, but the other callbacks run. */
  enqueue(work: () => void): void {
    this.#work.push(work);
    this.#schedule();
  }

  /** Runs `work` after everything given to `enqueue`, including work that is enqueued meanwhile. */
  flushLast(work: () => void): void {
    this.#last.push(work);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => setImmediate(() => this.#end()));
  }

  #end(): void {
    for (let i = 0; i < this.#work.length; i += 1) run(this.#work[i]!);
    this.#work = [];
    const last = this.#last;
    this.#last = [];
    this.#scheduled = false;
    for (const work of last) run(work);
  }
}

/** Thrown inside the batch, an exception would skip the callbacks behind it and leave the batch scheduled for good. */
function run(work: () => void): void {
  try {
    work();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

// Runs one script for all that is asked in an event-loop iteration; on a Cluster, where the keys lie on several nodes, one for each.

/** Items per script, during which Redis does nothing else. */
const atOnceMax = 64;

interface Waiting<Item, Reply> {
  item: Item;
  replied(reply: Reply): void;
  failed(error: unknown): void;
}

export class JoinedScript<Item, Reply> {
  readonly #redis: { readonly batcher: TickBatcher; readonly isCluster: boolean };
  readonly #run: (items: readonly Item[]) => Promise<readonly Reply[]>;
  #waiting: Waiting<Item, Reply>[] = [];

  /** @param run runs the script; returns a reply for each item, in order */
  constructor(redis: { readonly batcher: TickBatcher; readonly isCluster: boolean }, run: (items: readonly Item[]) => Promise<readonly Reply[]>) {
    this.#redis = redis;
    this.#run = run;
  }

  ask(item: Item): Promise<Reply> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.length === 0) this.#redis.batcher.enqueue(() => this.#runAll());
      this.#waiting.push({ item, replied: resolve, failed: reject });
    });
  }

  #runAll(): void {
    const all = this.#waiting;
    this.#waiting = [];
    const atOnce = this.#redis.isCluster ? 1 : atOnceMax;
    for (let at = 0; at < all.length; at += atOnce) void this.#runSome(all.slice(at, at + atOnce));
  }

  async #runSome(some: readonly Waiting<Item, Reply>[]): Promise<void> {
    try {
      const replies = await this.#run(some.map(({ item }) => item));
      for (const [i, waiting] of some.entries()) waiting.replied(replies[i]!);
    } catch (error) {
      // A full Redis refuses the whole script before it has done anything, although some of the items may need no memory.
      if (some.length > 1 && error instanceof StoreError && error.outOfMemory) for (const waiting of some) void this.#runSome([waiting]);
      else for (const waiting of some) waiting.failed(error);
    }
  }
}

/** Corks sockets: all writes of an event-loop iteration leave in one system call. ioredis' pipelines take twice the CPU (docs/performance.md). */
export class WriteBatching {
  readonly #batcher: TickBatcher;
  readonly #sockets = new Set<Socket>();
  #corked = false;

  constructor(connection: Redis | Cluster, batcher: TickBatcher) {
    this.#batcher = batcher;
    if (connection instanceof Cluster) connection.on('+node', (node: Redis) => this.#watch(node));
    else this.#watch(connection);
  }

  cork(): void {
    if (this.#corked) return;
    this.#corked = true;
    for (const socket of this.#sockets) socket.cork();
    this.#batcher.flushLast(() => this.#uncork());
  }

  #uncork(): void {
    this.#corked = false;
    for (const socket of this.#sockets) socket.uncork();
  }

  #watch(node: Redis): void {
    node.on('connect', () => {
      const socket: Socket = node.stream;
      this.#sockets.add(socket);
      // A socket that connects meanwhile is uncorked with the others.
      if (this.#corked) socket.cork();
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }
}
