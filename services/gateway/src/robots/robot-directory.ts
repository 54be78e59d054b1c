/** Held robots are served from the cache; a stale entry is detected on use (`not_here`, no receiver, no reply). Others are read from Redis. */
import { LRUCache } from 'lru-cache';
import { SingleFlight } from '@perch/runtime';
import { ApiError } from '@perch/schema';
import { beatLateMs, isRobotId, type Lease, type RobotRecord, type Store, type AdmittedKey } from '@perch/store';
import type { RobotListReader } from './robot-list-reader.js';

export interface CachedRobot {
  readonly id: string;
  readonly record: RobotRecord;
  readonly lease: Lease;
}

const robotsMax = 20_000;
const pollMs = 100;

export class RobotDirectory {
  readonly #store: Pick<Store, 'robots' | 'leases' | 'waits' | 'clock'>;
  readonly #held = new LRUCache<string, CachedRobot>({ max: robotsMax });
  readonly #reads = new SingleFlight<string, CachedRobot | null>();
  readonly #arrivals = new SingleFlight<string, CachedRobot>();

  constructor(store: Pick<Store, 'robots' | 'leases' | 'waits' | 'clock'>) {
    this.#store = store;
  }

  get looking(): number {
    return this.#reads.size + this.#arrivals.size;
  }

  cached(robot: string): CachedRobot | undefined {
    return this.#held.get(robot);
  }

  /** Returns a robot, from the cache if it is held. Null: no robot has that id. */
  async find(robot: string): Promise<CachedRobot | null> {
    return this.#held.get(robot) ?? this.read(robot);
  }

  read(robot: string): Promise<CachedRobot | null> {
    return isRobotId(robot) ? this.#reads.run(robot, () => this.#read(robot)) : Promise.resolve(null);
  }

  /** Waits for a moving robot until it is held or counts as away, about 6 s. @throws {ApiError} robot_offline if it is away; unknown_robot */
  async held(robot: string): Promise<CachedRobot> {
    return this.#held.get(robot) ?? this.#arrival(robot, null);
  }

  heldNow(robot: string): Promise<CachedRobot> {
    return this.#arrival(robot, null);
  }

  /** As `heldNow`, with the number of a wait that is taken first. It is not shared with other calls. */
  async heldNumbered(robot: string): Promise<{ number: number; robot: CachedRobot }> {
    const found = await this.#store.leases.findNumbered(robot, this.#held.get(robot)?.lease.instance);
    const known = this.#note(robot, found);
    if (found === null || known === null) throw unknownRobot();
    const { number } = found;
    if (known.lease.state === 'held') return { number, robot: known };
    const held = this.heldNow(robot);
    held.catch(() => this.#store.waits.dropped(robot, number)).catch(() => {});
    return { number, robot: await held };
  }

  /**
   * Returns the robot after `known`'s session missed a message: held by another session, or by the same one if Redis still says so after a pause.
   * @param missedAt performance.now() of the first miss. Gives up 3 s later, unless another session holds the robot or the same one began less than 3
   * s ago: a robot-link knows its session a moment later than Redis @throws {ApiError} robot_offline, unknown_robot
   */
  async heldAfter(known: CachedRobot, missedAt: number): Promise<CachedRobot> {
    this.forget(known);
    const { session } = known.lease;
    const now = this.#held.get(known.id) ?? (await this.#arrival(known.id, session));
    const missedMs = Math.min(performance.now() - missedAt, this.#store.clock.now() - now.lease.since);
    if (now.lease.session === session && missedMs >= beatLateMs) throw offline();
    return now;
  }

  forget(known: CachedRobot): void {
    if (this.#held.get(known.id)?.lease.session === known.lease.session) this.#held.delete(known.id);
  }

  #arrival(robot: string, missed: string | null): Promise<CachedRobot> {
    return this.#arrivals.run(`${robot} ${missed ?? ''}`, () => this.#awaitHeld(robot, missed));
  }

  async #awaitHeld(robot: string, missed: string | null): Promise<CachedRobot> {
    for (let reads = 0; ; reads++) {
      const known = await this.read(robot);
      if (known === null) throw unknownRobot();
      if (known.lease.state === 'held' && (known.lease.session !== missed || reads > 0)) return known;
      // Do not cache the session that was missed: the next call would miss it again.
      this.forget(known);
      // Offline only when `state` also reports the robot as away: a `connected` event then follows when it is back.
      if (known.lease.state === 'away') throw offline();
      await new Promise((resolve) => setTimeout(resolve, pollMs));
    }
  }

  async #read(robot: string): Promise<CachedRobot | null> {
    // Read the lease first: a hello stored in between then yields a record newer than the session, never an older one.
    const likely = this.#held.get(robot)?.lease.instance;
    const [lease, record] = await Promise.all([this.#store.leases.find(robot, likely), this.#store.robots.get(robot)]);
    return this.#note(robot, record === null ? null : { lease, record });
  }

  #note(robot: string, found: Pick<CachedRobot, 'lease' | 'record'> | null): CachedRobot | null {
    if (found === null) {
      this.#held.delete(robot);
      return null;
    }
    const { lease, record } = found;
    const known: CachedRobot = { id: robot, record, lease };
    if (lease.state === 'held') this.#held.set(robot, known);
    else this.#held.delete(robot);
    return known;
  }
}

function offline(): ApiError {
  return new ApiError('robot_offline', 'The robot is offline.');
}

/** @param named ids of the robots that have the given text as their name */
export function unknownRobot(named: readonly string[] = []): ApiError {
  if (named.length > 0)
    return new ApiError('unknown_robot', `This key has no robot with that id. It is the name of ${named.join(' and ')}: send the id.`);
  return new ApiError(
    'unknown_robot',
    'This key has no robot with that id. The page Keys names the robots of a key; GET /v1/robots lists them for a key with the scope read.',
  );
}

/** Ids of the robots with a name, for the 404 of a path that has the name of a robot in place of its id. */
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
