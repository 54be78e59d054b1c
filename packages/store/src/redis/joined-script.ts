/** Runs one script for all that is asked in an event-loop iteration; on a Cluster, where the keys lie on several nodes, one for each. */
import { StoreError } from './errors.js';
import type { Connections } from './connections.js';

/** Items per script, during which Redis does nothing else. */
const atOnceMax = 64;

interface Waiting<Item, Reply> {
  item: Item;
  replied(reply: Reply): void;
  failed(error: unknown): void;
}

export class JoinedScript<Item, Reply> {
  readonly #redis: Pick<Connections, 'batcher' | 'isCluster'>;
  readonly #run: (items: readonly Item[]) => Promise<readonly Reply[]>;
  #waiting: Waiting<Item, Reply>[] = [];

  /** @param run runs the script; returns a reply for each item, in order */
  constructor(redis: Pick<Connections, 'batcher' | 'isCluster'>, run: (items: readonly Item[]) => Promise<readonly Reply[]>) {
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
