/** The countdown that each robot shows, for a robot-link that takes the robot over. Written once, when it begins. */
import type { CardCountdown } from '@perch/schema';
import { guarded } from '../redis/errors.js';
import { robotKeys } from '../redis/keys.js';
import type { RedisClock } from '../instances/clock.js';
import type { Connections } from '../redis/connections.js';

/** A robot that was away when its countdown ended shows the end if it comes back within this time, ms. */
const keptAfterEndMs = 24 * 3600 * 1000;
const charsMax = 16_384;

interface StoredCountdown extends CardCountdown {
  series: string;
}

export class Countdowns {
  readonly #redis: Connections;
  readonly #clock: Pick<RedisClock, 'now'>;

  constructor(redis: Connections, clock: Pick<RedisClock, 'now'>) {
    this.#redis = redis;
    this.#clock = clock;
  }

  /** Keeps the countdown unless it is too large. `series` names its pictures. @returns false if nothing was written */
  async save({ robot, session }: { robot: string; session: string }, series: string, countdown: CardCountdown): Promise<boolean> {
    const stored: StoredCountdown = { series, ...countdown };
    const text = JSON.stringify(stored);
    if (text.length > charsMax) return false;
    const ttlMs = Math.ceil(Math.max(0, countdown.end - this.#clock.now())) + keptAfterEndMs;
    return (await this.#redis.script('leaseSave', [robotKeys.lease(robot), robotKeys.countdown(robot)], [session, text, ttlMs])) === 1;
  }

  /** @returns null if the robot's countdown is another one, or was not kept @throws {StoreError} when Redis does not answer */
  async find(robot: string, series: string): Promise<CardCountdown | null> {
    const text = await guarded(() => this.#redis.commands.get(robotKeys.countdown(robot)));
    const stored = text === null ? null : this.#redis.forms.read<StoredCountdown>('robot_countdown', text);
    return stored?.series === series ? stored : null;
  }
}
