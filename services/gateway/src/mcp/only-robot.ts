/** The robot that a call means which names none: the key's only one. */
import { ApiError } from '@perch/schema';
import type { AdmittedKey, Store } from '@perch/store';
import { LRUCache } from 'lru-cache';
import { listRobots } from '../robots.js';

/** A second robot is noticed after so long. */
const rememberedMs = 1_000;
/** So many are told by name; robot_list has the others. */
const listedMax = 20;

export class OnlyRobot {
  readonly #store: Pick<Store, 'robots' | 'leases'>;
  readonly #known = new LRUCache<string, string>({ max: 10_000, ttl: rememberedMs });

  constructor(store: Pick<Store, 'robots' | 'leases'>) {
    this.#store = store;
  }

  /** @throws {ApiError} bad_argument that lists the robots there are */
  async of(key: Pick<AdmittedKey, 'account' | 'keyHash' | 'robots'>): Promise<string> {
    const known = this.#known.get(key.keyHash);
    if (known !== undefined) return known;
    const robots = await listRobots(this.#store, key);
    const [only] = robots;
    if (robots.length === 1 && only !== undefined) {
      this.#known.set(key.keyHash, only.id);
      return only.id;
    }
    if (only === undefined) throw new ApiError('bad_argument', 'robot: this key has no robot yet.', { field: 'robot' });
    const others = robots.length > listedMax ? `, and ${robots.length - listedMax} more, which robot_list has` : '';
    const listed = robots
      .slice(0, listedMax)
      .map(({ id, model, online }) => `${id} (${model === '' ? '' : `${model}, `}${online ? 'online' : 'offline'})`)
      .join(', ');
    throw new ApiError('bad_argument', `robot: this key has ${robots.length} robots; say which one you mean: ${listed}${others}`, { field: 'robot' });
  }
}
