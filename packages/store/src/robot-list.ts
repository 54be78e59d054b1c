/** An account's robots as their owner looks at them, again and again: a few fields of each, and nothing of what they can do. */
import { guarded } from './guarded.js';
import { isRobotId } from './ids.js';
import { accountKeys, robotKeys } from './keys.js';
import type { Leases, SavedState } from './leases.js';
import type { Connections } from './redis.js';

export interface ListedRobot {
  id: string;
  name: string;
  /** null until it connected for the first time, as firmware. */
  model: string | null;
  firmware: string | null;
  virtual: boolean;
  /** Redis ms. */
  createdAt: number;
  online: boolean;
  /** Redis ms; null for one that never connected. Of one that is online, when it connected or reported last. */
  lastSeenAt: number | null;
  /** As it was kept last, up to half a minute ago; null where it is not known. */
  batteryPct: number | null;
}

const fields = ['account', 'name', 'created_at', 'model', 'firmware', 'virtual'] as const;

export class RobotList {
  readonly #redis: Connections;
  readonly #leases: Leases;

  constructor(redis: Connections, leases: Leases) {
    this.#redis = redis;
    this.#leases = leases;
  }

  /**
   * Oldest first; of an account with more than `max`, the same ones each time.
   * @returns how many there are in all, too
   */
  async read(account: string, max: number): Promise<{ robots: ListedRobot[]; total: number }> {
    const all = (await guarded(() => this.#redis.commands.smembers(accountKeys.robots(account)))).toSorted();
    const robots = await this.#read(account, all.slice(0, max));
    // What a removal that was cut off left in the set is none of the account's robots.
    const listed = robots.filter((robot) => robot !== null).toSorted((a, b) => a.createdAt - b.createdAt || a.id.localeCompare(b.id));
    return { robots: listed, total: all.length - robots.length + listed.length };
  }

  /** One of them. @returns null when the account has no such robot */
  async one(account: string, robot: string): Promise<ListedRobot | null> {
    return isRobotId(robot) ? (await this.#read(account, [robot]))[0]! : null;
  }

  async #read(account: string, ids: readonly string[]): Promise<(ListedRobot | null)[]> {
    const { commands } = this.#redis;
    const [leases, records, saved] = await Promise.all([
      this.#leases.findAll(ids),
      guarded(() => Promise.all(ids.map((id) => commands.hmget(robotKeys.record(id), ...fields)))),
      Promise.all(ids.map((id) => this.#leases.saved(id))),
    ]);
    return ids.map((id, i) => {
      const [owner, name, createdAt, model, firmware, virtual] = records[i]!;
      if (owner !== account) return null;
      const { state, since } = leases[i]!;
      return {
        id,
        name: name ?? '',
        model: model ?? null,
        firmware: firmware ?? null,
        virtual: virtual === '1',
        createdAt: Number(createdAt),
        online: state !== 'away',
        lastSeenAt: since === 0 ? null : Math.max(since, saved[i]?.readingsAt ?? 0),
        batteryPct: batteryOf(saved[i] ?? null),
      };
    });
  }
}

function batteryOf(saved: SavedState | null): number | null {
  const pct = saved?.readings['battery_pct'];
  return typeof pct === 'number' ? pct : null;
}
