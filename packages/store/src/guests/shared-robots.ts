/** The list of the robots of other accounts that are shared with an account. An entry counts only if the robot's `guests` have the account. */
import { sharingLimits } from '@perch/schema';
import { accountKeys, robotKeys } from '../keys.js';
import type { Connections } from '../redis/connections.js';
import { guarded } from '../redis/guarded.js';
import { redisTimeMs } from '../redis/redis-time.js';
import { guestOf, type Guest } from './guest-entry.js';

export interface SharedRobot extends Pick<Guest, 'permission' | 'since'> {
  robot: string;
  owner: string;
}

/** Longer than it takes to accept a link, which lists the robot first. */
const unclaimedMs = 60_000;

export class SharedRobots {
  readonly #redis: Connections;

  constructor(redis: Connections) {
    this.#redis = redis;
  }

  /** Oldest first. Drops entries that grant nothing: a crash, or an instance of 0.9.0 that removed the robot, left them. */
  async with(account: string): Promise<SharedRobot[]> {
    const { commands } = this.#redis;
    const listed = await guarded(() => commands.zrange(accountKeys.shared(account), '0', '-1', 'WITHSCORES'));
    if (listed.length === 0) return [];
    // Alternates the robot and since when it is listed.
    const robots = listed.filter((_, i) => i % 2 === 0);
    const found = await guarded(() =>
      Promise.all(
        robots.map((robot) => Promise.all([commands.hget(robotKeys.record(robot), 'account'), commands.hget(robotKeys.guests(robot), account)])),
      ),
    );
    const shared: SharedRobot[] = [];
    const unclaimed: { robot: string; at: number }[] = [];
    for (const [i, robot] of robots.entries()) {
      const [owner, entry] = found[i]!;
      if (owner === null || entry === null) unclaimed.push({ robot, at: Number(listed[2 * i + 1]) });
      else {
        const { permission, since } = guestOf(account, entry);
        shared.push({ robot, owner, permission, since });
      }
    }
    if (unclaimed.length > 0) await this.#drop(account, unclaimed);
    return shared;
  }

  async add(account: string, robot: string): Promise<'added' | 'full' | 'removing'> {
    const keys = [accountKeys.shared(account), accountKeys.record(account)] as const;
    const listed = await this.#redis.script('sharedList', keys, [robot, sharingLimits.robotsMax]);
    return listed === 1 ? 'added' : listed === 0 ? 'full' : 'removing';
  }

  async remove(account: string, robot: string): Promise<void> {
    await guarded(() => this.#redis.commands.zrem(accountKeys.shared(account), robot));
  }

  async #drop(account: string, unclaimed: readonly { robot: string; at: number }[]): Promise<void> {
    const now = await guarded(() => redisTimeMs(this.#redis));
    const old = unclaimed.filter(({ at }) => at < now - unclaimedMs).map(({ robot }) => robot);
    if (old.length > 0) await guarded(() => this.#redis.commands.zrem(accountKeys.shared(account), ...old));
  }
}
