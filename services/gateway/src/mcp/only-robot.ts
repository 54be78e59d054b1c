/** The robot of a tool call that names none: the key's only robot or, of several, the only one that is online. */
import { ApiError, type Robot } from '@perch/schema';
import type { AdmittedKey, Store } from '@perch/store';
import { LRUCache } from 'lru-cache';
import { listRobots } from '../robots.js';

/** For this long a choice may be outdated: another robot was added, came online or went away. */
const rememberedMs = 1_000;
/** The error lists up to this many robots; robot_list has the others. */
const listedMax = 20;

export class OnlyRobot {
  readonly #store: Pick<Store, 'robots' | 'leases'>;
  readonly #known = new LRUCache<string, string>({ max: 10_000, ttl: rememberedMs });

  constructor(store: Pick<Store, 'robots' | 'leases'>) {
    this.#store = store;
  }

  /** @returns its id @throws {ApiError} bad_argument that lists the key's robots */
  async of(key: Pick<AdmittedKey, 'account' | 'keyHash' | 'robots'>): Promise<string> {
    const known = this.#known.get(key.keyHash);
    if (known !== undefined) return known;
    const robots = await listRobots(this.#store, key);
    const only = onlyOne(robots) ?? onlyOne(robots.filter(({ online }) => online));
    if (only === null) throw ambiguous(robots);
    this.#known.set(key.keyHash, only.id);
    return only.id;
  }
}

function onlyOne(robots: readonly Robot[]): Robot | null {
  return robots.length === 1 ? robots[0]! : null;
}

function ambiguous(robots: readonly Robot[]): ApiError {
  if (robots.length === 0) return new ApiError('bad_argument', 'robot: this key has no robot yet.', { field: 'robot' });
  const online = robots.filter((robot) => robot.online);
  const listed = [...online, ...robots.filter((robot) => !robot.online)].slice(0, listedMax).map(inList).join(', ');
  const others = robots.length > listedMax ? `, and ${robots.length - listedMax} more, which robot_list has` : '';
  const several = `this key has ${robots.length} robots, ${online.length === 0 ? 'none' : online.length} of them online`;
  return new ApiError('bad_argument', `robot: ${several}; name one by its id: ${listed}${others}`, { field: 'robot', quotesUntrusted: true });
}

function inList({ id, name, model, online }: Robot): string {
  return `${id} (${[name === id ? '' : JSON.stringify(name), model, online ? 'online' : 'offline'].filter((word) => word !== '').join(', ')})`;
}
