/** The ids of an account's robots, in the order of every list that is read in slices. */
import { accountKeys } from '../keys.js';
import type { Connections } from '../redis/connections.js';
import { scannedSet, scanSet } from '../redis/set-scan.js';
import type { SliceQueue } from '../jobs/slice-queue.js';

/** Robots whose records are read at once. */
export const robotsAtOnce = 100;

export class RobotIds {
  readonly #redis: Connections;
  readonly #queue: SliceQueue;

  constructor(redis: Connections, queue: SliceQueue) {
    this.#redis = redis;
    this.#queue = queue;
  }

  /**
   * Returns the account's robots, ascending by id. Ids of robots whose removal was cut off may be among them: a robot is the account's when its
   * record says so. Of large accounts the ids are read in parts, for all callers that wait at the same time once.
   */
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

/**
 * Reads robots in slices.
 * @param name what `read` reads, as lists that read the same slice at the same time share the read
 * @param read of a slice of ids @throws what `read` throws
 */
export async function* inSlices<T>(
  queue: SliceQueue,
  { account, name, ids }: { account: string; name: string; ids: readonly string[] },
  read: (ids: readonly string[]) => Promise<T>,
): AsyncGenerator<T> {
  for (let from = 0; from < ids.length; from += robotsAtOnce) {
    const slice = ids.slice(from, from + robotsAtOnce);
    // What fits in one slice, as most accounts do, delays nobody and need not wait.
    yield ids.length <= robotsAtOnce ? await read(slice) : await queue.run(account, `${name} ${slice.join()}`, () => read(slice));
  }
}
