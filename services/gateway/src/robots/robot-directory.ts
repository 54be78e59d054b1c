/**
 * Where robots are and what they can do, as this gateway last knew it.
 * A held robot is answered from memory, so that a command costs no look-up; a wrong guess (`not_here`, nobody received, silence) corrects it.
 * What is not held is read again each time.
 */
import { LRUCache } from 'lru-cache';
import { ApiError } from '@perch/schema';
import { beatLateMs, isRobotId, type Lease, type RobotRecord, type Store } from '@perch/store';

export interface KnownRobot {
  readonly id: string;
  readonly record: RobotRecord;
  readonly lease: Lease;
}

const robotsMax = 20_000;
const pollMs = 100;

export class RobotDirectory {
  readonly #store: Pick<Store, 'robots' | 'leases' | 'clock'>;
  readonly #held = new LRUCache<string, KnownRobot>({ max: robotsMax });
  readonly #reads = new Map<string, Promise<KnownRobot | null>>();
  readonly #arrivals = new Map<string, Promise<KnownRobot>>();

  constructor(store: Pick<Store, 'robots' | 'leases' | 'clock'>) {
    this.#store = store;
  }

  /** How many are being read or waited for, for metrics and leak checks. */
  get looking(): number {
    return this.#reads.size + this.#arrivals.size;
  }

  /** A robot believed to be held; the guess may be wrong. */
  cached(robot: string): KnownRobot | undefined {
    return this.#held.get(robot);
  }

  /** The robot, from memory where it is held. @returns null when there is none of that id */
  async find(robot: string): Promise<KnownRobot | null> {
    return this.#held.get(robot) ?? this.read(robot);
  }

  /** The robot as Redis has it; everybody who asks meanwhile gets the same answer. */
  read(robot: string): Promise<KnownRobot | null> {
    if (!isRobotId(robot)) return Promise.resolve(null);
    let read = this.#reads.get(robot);
    if (read === undefined) {
      read = this.#read(robot).finally(() => this.#reads.delete(robot));
      this.#reads.set(robot, read);
    }
    return read;
  }

  /**
   * The robot where it is held. One that is moving is waited for until it is held or counts as away, some 3 s.
   * @throws {ApiError} robot_offline when it is away; unknown_robot when it is gone
   */
  async held(robot: string): Promise<KnownRobot> {
    return this.#held.get(robot) ?? this.#arrival(robot, null);
  }

  /** As `held`, and not from memory. */
  heldNow(robot: string): Promise<KnownRobot> {
    return this.#arrival(robot, null);
  }

  /**
   * After the session in `known` did not get what was sent: the robot where another one holds it, or in a moment the same again, where Redis says
   * that it holds the robot all the same. Its instance may just have lost its subscription, and have it again by then.
   * @param missedAt performance.now() when the call missed the robot for the first time: 3 s later it gives up, unless another session has it,
   * or this one took it less than 3 s ago: a robot-link knows its session a moment later than Redis
   * @throws {ApiError} robot_offline, unknown_robot
   */
  async heldAfter(known: KnownRobot, missedAt: number): Promise<KnownRobot> {
    this.forget(known);
    const { session } = known.lease;
    const now = this.#held.get(known.id) ?? (await this.#arrival(known.id, session));
    const missedMs = Math.min(performance.now() - missedAt, this.#store.clock.now() - now.lease.since);
    if (now.lease.session === session && missedMs >= beatLateMs) throw offline();
    return now;
  }

  /** Drops a guess that may be wrong; a newer one stays. */
  forget(known: KnownRobot): void {
    if (this.#held.get(known.id)?.lease.session === known.lease.session) this.#held.delete(known.id);
  }

  #arrival(robot: string, missed: string | null): Promise<KnownRobot> {
    const key = `${robot} ${missed ?? ''}`;
    let arrival = this.#arrivals.get(key);
    if (arrival === undefined) {
      arrival = this.#awaitHeld(robot, missed).finally(() => this.#arrivals.delete(key));
      this.#arrivals.set(key, arrival);
    }
    return arrival;
  }

  async #awaitHeld(robot: string, missed: string | null): Promise<KnownRobot> {
    for (let looks = 0; ; looks++) {
      const known = await this.read(robot);
      if (known === null) throw unknownRobot();
      if (known.lease.state === 'held' && (known.lease.session !== missed || looks > 0)) return known;
      // What was missed is not kept: the next call would only miss it again.
      this.forget(known);
      // Only where it counts as away for `state`, too: a `connected` event follows when it is back.
      if (known.lease.state === 'away') throw offline();
      await new Promise((resolve) => setTimeout(resolve, pollMs));
    }
  }

  async #read(robot: string): Promise<KnownRobot | null> {
    // The lease first in the pipeline: a hello that comes in between gives a newer record, never an older one than the session.
    const [lease, record] = await Promise.all([this.#store.leases.find(robot), this.#store.robots.get(robot)]);
    if (record === null) {
      this.#held.delete(robot);
      return null;
    }
    const known: KnownRobot = { id: robot, record, lease };
    if (lease.state === 'held') this.#held.set(robot, known);
    else this.#held.delete(robot);
    return known;
  }
}

function offline(): ApiError {
  return new ApiError('robot_offline', 'The robot is offline.');
}

export function unknownRobot(): ApiError {
  return new ApiError('unknown_robot', 'This key has no robot with that id. GET /v1/robots lists the ones it has.');
}
