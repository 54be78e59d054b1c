/** The robot of a tool call that names none: the key's only robot or, of several, the only one that is online. */
import { ApiError, type Robot } from '@perch/schema';
import type { AdmittedKey } from '@perch/store';
import { LRUCache } from 'lru-cache';
import type { KeysRobots, RobotReach } from '../rest/robots.js';

/** For this long a choice may be outdated: another robot was added, came online or went away. */
const rememberedMs = 1_000;
/** The error lists up to this many robots; robot_list has the others. */
const listedMax = 20;
/** Of a key with more robots, the error says no more than that. */
const countedMax = 200;

interface Found {
  count: number;
  online: number;
  first: Robot[];
  firstOnline: Robot[];
  /** Whether there may be more robots than were counted. */
  more: boolean;
}

export class OnlyRobot {
  readonly #robots: KeysRobots;
  readonly #known = new LRUCache<string, string | ApiError>({ max: 10_000, ttl: rememberedMs });

  constructor(robots: KeysRobots) {
    this.#robots = robots;
  }

  /** @returns its id @throws {ApiError} bad_argument that lists the key's robots */
  async of(key: Pick<AdmittedKey, 'account' | 'keyHash' | 'robots'>): Promise<string> {
    const known = this.#known.get(key.keyHash);
    if (known instanceof ApiError) throw known;
    if (known !== undefined) return known;
    const found = await this.#find(key);
    const only = found.count === 1 ? found.first : found.online === 1 ? found.firstOnline : [];
    if (only.length === 1) {
      this.#known.set(key.keyHash, only[0]!.id);
      return only[0]!.id;
    }
    const error = ambiguous(found);
    // A list of many robots is not read again for each such call.
    if (found.count > listedMax) this.#known.set(key.keyHash, error);
    throw error;
  }

  /** Reads until two robots are online and enough are counted for the error; of a key without two that are online, all. */
  async #find(key: RobotReach): Promise<Found> {
    const found: Found = { count: 0, online: 0, first: [], firstOnline: [], more: false };
    for await (const slice of this.#robots.slices(key, {})) {
      const online = slice.filter((robot) => robot.online);
      found.count += slice.length;
      found.online += online.length;
      found.first.push(...slice.slice(0, listedMax - found.first.length));
      found.firstOnline.push(...online.slice(0, listedMax - found.firstOnline.length));
      found.more = found.count > countedMax && found.online > 1;
      if (found.more) break;
    }
    return found;
  }
}

function ambiguous({ count, online, first, firstOnline, more }: Found): ApiError {
  if (count === 0) return new ApiError('bad_argument', 'robot: this key has no robot yet.', { field: 'robot' });
  const listed = [...firstOnline, ...first.filter((robot) => !robot.online)].slice(0, listedMax).map(inList).join(', ');
  const others = count > listedMax ? `, and ${more ? '' : `${count - listedMax} `}more, which robot_list has` : '';
  const several = more
    ? `this key has more than ${countedMax} robots, several of them online`
    : `this key has ${count} robots, ${online === 0 ? 'none' : online} of them online`;
  return new ApiError('bad_argument', `robot: ${several}; name one by its id: ${listed}${others}`, { field: 'robot', quotesUntrusted: true });
}

function inList({ id, name, model, online }: Robot): string {
  return `${id} (${[name === id ? '' : JSON.stringify(name), model, online ? 'online' : 'offline'].filter((word) => word !== '').join(', ')})`;
}
