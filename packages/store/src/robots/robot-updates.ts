/** The state of a robot's updates: a field of its record, which the owner's request and the robot-link that holds the robot change in turn. */
import { lateUpdate, programVersion, type StoredRobotUpdate, type UpdateRefusal } from '@perch/schema';
import { isRobotId } from '../redis/ids.js';
import { robotKeys } from '../redis/keys.js';
import type { Connections } from '../redis/connections.js';
import { guarded } from '../redis/errors.js';
import { holderOf, type Holder } from './robot-record.js';

/** Another change came first this often: something is wrong. */
const tries = 5;

export class RobotUpdates {
  readonly #redis: Connections;

  constructor(redis: Connections) {
    this.#redis = redis;
  }

  /** Returns null for a robot that was never offered a version, and for an unknown one. */
  async read(robot: string): Promise<StoredRobotUpdate | null> {
    if (!isRobotId(robot)) return null;
    return storedUpdate(await guarded(() => this.#redis.commands.hget(robotKeys.record(robot), 'update')));
  }

  /**
   * Changes the state. @param next gets the state and returns the new one; null: leave it as it is
   * @returns the state before and after; null: nothing was changed
   */
  async change(
    account: string,
    robot: string,
    next: (stored: StoredRobotUpdate | null) => StoredRobotUpdate | null,
  ): Promise<{ before: StoredRobotUpdate | null; after: StoredRobotUpdate; holder: Holder | null } | null> {
    for (let i = 0; i < tries; i += 1) {
      const text = (await guarded(() => this.#redis.commands.hget(robotKeys.record(robot), 'update'))) ?? '';
      const before = storedUpdate(text);
      const after = next(before);
      if (after === null) return null;
      const keys = [robotKeys.record(robot), robotKeys.lease(robot)] as const;
      const lease = await this.#redis.script('robotUpdate', keys, [account, text, JSON.stringify(after)]);
      if (lease.length !== 0) return { before, after, holder: holderOf(...lease) };
    }
    return null;
  }

  /**
   * Asks for the update to the offered version, which the robot-link sends to the robot once it is not busy.
   * @param now Redis ms @returns the version and the session that holds the robot, whose instance must be told to read the request; or why there is none
   */
  async request(account: string, robot: string, via: 'page' | 'operator', now: number): Promise<{ version: string; holder: Holder } | UpdateRefusal> {
    if (!isRobotId(robot)) return 'unknown';
    const [owner, firmware] = await guarded(() => this.#redis.commands.hmget(robotKeys.record(robot), 'account', 'firmware'));
    if (owner !== account) return 'unknown';
    const current = programVersion(firmware ?? '');
    if (current === null) return 'other_program';
    const state = await guarded(() => this.#redis.commands.hget(robotKeys.lease(robot), 'state'));
    if (state !== 'held') return 'away';
    let refusal: UpdateRefusal = 'unknown';
    const changed = await this.change(account, robot, (stored) => {
      const version = stored?.offered ?? null;
      const isRunning = stored !== null && (stored.state === 'requested' || stored.state === 'updating') && lateUpdate(stored, now) === null;
      refusal = isRunning ? 'running' : 'up_to_date';
      return version === null || version === current || isRunning
        ? null
        : { offered: version, state: 'requested', version, at: Math.floor(now), via };
    });
    if (changed === null) return refusal;
    // It has left meanwhile; the next robot-link reads the request when the robot comes back.
    return changed.holder === null ? 'away' : { version: changed.after.version, holder: changed.holder };
  }
}

/** Returns null for text that this release cannot read. */
export function storedUpdate(text: string | null | undefined): StoredRobotUpdate | null {
  if (!text) return null;
  try {
    const { offered, state, version, at, error, via } = JSON.parse(text) as Partial<Record<keyof StoredRobotUpdate, unknown>>;
    if (typeof state !== 'string' || !states.includes(state) || typeof version !== 'string' || typeof at !== 'number') return null;
    return {
      offered: typeof offered === 'string' ? offered : null,
      state: state as StoredRobotUpdate['state'],
      version,
      at,
      ...(typeof error === 'string' && { error }),
      ...((via === 'page' || via === 'operator') && { via }),
    };
  } catch {
    return null;
  }
}

const states: readonly string[] = ['none', 'requested', 'updating', 'installed', 'failed'] satisfies StoredRobotUpdate['state'][];
