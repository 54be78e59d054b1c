/** Reads the ids of an account's robots, in the order of every list that is read in slices. */
import { accountKeys } from '../redis/keys.js';
import type { Connections } from '../redis/connections.js';
import { scannedSet, scanSet } from '../redis/scans.js';
import type { SliceQueue } from '../redis/slice-queue.js';

export const robotsAtOnce = 100;

export class RobotIds {
  readonly #redis: Connections;
  readonly #queue: SliceQueue;

  constructor(redis: Connections, queue: SliceQueue) {
    this.#redis = redis;
    this.#queue = queue;
  }

  /** Returns ids ascending, maybe also of robots whose removal was interrupted: the record decides. Concurrent callers share the read. */
  async of(account: string): Promise<readonly string[]> {
    const key = accountKeys.robots(account);
    const { members, next } = await scanSet(this.#redis, key, '0');
    if (next === '0') return [...new Set(members)].toSorted();
    return this.#queue.run(account, 'ids', async () => {
      const ids = new Set<string>();
      for await (const part of scannedSet(this.#redis, key)) for (const id of part) ids.add(id);
      return [...ids].toSorted();
    });
  }
}

/** @param name names what `read` reads: concurrent lists share the read of an equal slice @param read reads one slice @throws what `read` throws */
export async function* inSlices<T>(
  queue: SliceQueue,
  { account, name, ids }: { account: string; name: string; ids: readonly string[] },
  read: (ids: readonly string[]) => Promise<T>,
): AsyncGenerator<T> {
  for (let from = 0; from < ids.length; from += robotsAtOnce) {
    const slice = ids.slice(from, from + robotsAtOnce);
    // A single slice delays nothing else, so it is not queued.
    yield ids.length <= robotsAtOnce ? await read(slice) : await queue.run(account, `${name} ${slice.join()}`, () => read(slice));
  }
}
