/** Ids of the robots with a name, for the 404 of a path that has the name of a robot in place of its id. */
import type { AdmittedKey } from '@perch/store';
import { LRUCache } from 'lru-cache';
import type { RobotListReader } from './robot-list-reader.js';

const namedMax = 5;
/** Calls that fail cost the key nothing, but a look-up reads all its robots: one in this time for each key, ms. */
const pauseMs = 1_000;

export class RobotNames {
  readonly #robots: RobotListReader;
  readonly #recent = new LRUCache<string, true>({ max: 10_000, ttl: pauseMs });

  constructor(robots: RobotListReader) {
    this.#robots = robots;
  }

  /** @returns ids of up to five robots that this key reaches; none if the key asked a moment ago, or Redis fails */
  async find(key: Pick<AdmittedKey, 'account' | 'keyHash' | 'robots'>, name: string): Promise<string[]> {
    return this.#read(key, name).catch(() => []);
  }

  async #read(key: Pick<AdmittedKey, 'account' | 'keyHash' | 'robots'>, name: string): Promise<string[]> {
    if (this.#recent.has(key.keyHash)) return [];
    this.#recent.set(key.keyHash, true);
    const wanted = name.toLowerCase();
    const ids: string[] = [];
    for await (const slice of this.#robots.slices(key, {})) {
      ids.push(...slice.filter((robot) => robot.name.toLowerCase() === wanted).map(({ id }) => id));
      if (ids.length >= namedMax) break;
    }
    return ids.slice(0, namedMax);
  }
}
