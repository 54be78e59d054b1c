/** Selects the robot of a tool call that gives no id: the one with the name that it gives, the key's only robot, or its only robot that is online. */
import { ApiError, type Robot } from '@perch/schema';
import type { AdmittedKey } from '@perch/store';
import { LRUCache } from 'lru-cache';
import type { RobotListReader, RobotReach } from '../robots/robot-list-reader.js';

/** Cache lifetime of a result, ms: it may be stale for this long after a robot was added, connected or disconnected. */
const cachedMs = 1_000;
const listedMax = 20;
/** Robots are counted up to this number; beyond it, the error message says "more than". */
const countedMax = 200;

/** A longer text is the name of no robot. */
const nameCharsMax = 200;

type CallersKey = Pick<AdmittedKey, 'account' | 'keyHash' | 'robots'>;

interface Found {
  count: number;
  online: number;
  first: Robot[];
  firstOnline: Robot[];
  more: boolean;
}

export class ChosenRobot {
  readonly #robots: RobotListReader;
  readonly #cache = new LRUCache<string, string | ApiError>({ max: 10_000, ttl: cachedMs });

  constructor(robots: RobotListReader) {
    this.#robots = robots;
  }

  /** @throws {ApiError} unknown_robot, bad_argument if several robots have the name */
  async named(key: CallersKey, name: string): Promise<string> {
    const cacheKey = `${key.keyHash} ${name.slice(0, nameCharsMax)}`;
    const cached = this.#cache.get(cacheKey);
    if (typeof cached === 'string') return cached;
    const wanted = name.toLowerCase();
    const found: Robot[] = [];
    if (name.length <= nameCharsMax)
      for await (const slice of this.#robots.slices(key, {})) found.push(...slice.filter((robot) => robot.name.toLowerCase() === wanted));
    const [first, second] = found;
    if (first === undefined) throw new ApiError('unknown_robot', 'This API key has no robot with this id or name.');
    if (second !== undefined) {
      const listed = found.slice(0, listedMax).map(inList).join(', ');
      const message = `robot: ${found.length} robots have this name; give the id of one: ${listed}`;
      throw new ApiError('bad_argument', message, { field: 'robot', untrusted: ['error'] });
    }
    this.#cache.set(cacheKey, first.id);
    return first.id;
  }

  /** @param online whether the only one that is online counts, too @throws {ApiError} bad_argument */
  async only(key: CallersKey, online = true): Promise<string> {
    if (!online) return this.#single(key);
    const cached = this.#cache.get(key.keyHash);
    if (cached instanceof ApiError) throw cached;
    if (cached !== undefined) return cached;
    const found = await this.#find(key);
    const only = found.count === 1 ? found.first : found.online === 1 ? found.firstOnline : [];
    if (only.length === 1) {
      this.#cache.set(key.keyHash, only[0]!.id);
      return only[0]!.id;
    }
    const error = ambiguous(found);
    // Don't read a long list again for each such call.
    if (found.count > listedMax) this.#cache.set(key.keyHash, error);
    throw error;
  }

  async #single(key: CallersKey): Promise<string> {
    const found = await this.#find(key);
    if (found.count !== 1) throw ambiguous(found);
    return found.first[0]!.id;
  }

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
  return new ApiError('bad_argument', `robot: ${several}; name one by its id or name: ${listed}${others}`, { field: 'robot', untrusted: ['error'] });
}

function inList({ id, name, model, online }: Robot): string {
  return `${id} (${[name === id ? '' : JSON.stringify(name), model, online ? 'online' : 'offline'].filter((word) => word !== '').join(', ')})`;
}
