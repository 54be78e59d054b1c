/**
 * The last 20 cards and questions of each robot, at most 64 KB and for 30 d, under its account: a robot that another account adds has none of them.
 * They count in the account's quota, and an account whose quota is used up gets no new ones.
 */
import { storedPlaces, type AccountStorage } from '../accounts/account-storage.js';
import type { RedisClock } from '../instances/clock.js';
import { accountKeys } from '../keys.js';
import type { Connections } from '../redis/connections.js';
import { guarded } from '../redis/guarded.js';
import { parseScreen, screenText, type ScreenRecord } from './screen-record.js';

export const screensKept = 20;
export const screensBytesMax = 64 * 1024;
const keptMs = 30 * 86_400_000;
/** Robots of one command, so that Redis is not blocked for long. */
const robotsAtOnce = 100;

export class ScreenHistory {
  readonly #redis: Connections;
  readonly #clock: Pick<RedisClock, 'now'>;
  readonly #storage: AccountStorage;

  constructor(redis: Connections, clock: Pick<RedisClock, 'now'>, storage: AccountStorage) {
    this.#redis = redis;
    this.#clock = clock;
    this.#storage = storage;
  }

  /** Appends with one command for up to 100 robots. Not repeated after a failure, since it may have been done. @param shown by robot, oldest first */
  async append(account: string, shown: ReadonlyMap<string, readonly ScreenRecord[]>): Promise<void> {
    if (this.#storage.isFull(account)) return;
    const robots = [...shown];
    for (let at = 0; at < robots.length; at += robotsAtOnce) await this.#append(account, robots.slice(at, at + robotsAtOnce));
  }

  async #append(account: string, robots: readonly (readonly [string, readonly ScreenRecord[]])[]): Promise<void> {
    const keys = [accountKeys.record(account), accountKeys.robots(account), ...robots.map(([robot]) => accountKeys.screens(account, robot))] as const;
    const args = robots.flatMap(([robot, screens]) => {
      const newest = screens.slice(-screensKept);
      return [robot, newest.length, ...newest.map(screenText)];
    });
    const bytes = await this.#redis.script('screensAppend', keys, [keptMs, screensKept, screensBytesMax, ...args]);
    for (const [i, [robot]] of robots.entries()) {
      const [before, now] = [bytes[2 * i]!, bytes[2 * i + 1]!];
      if (now >= 0) this.#storage.noteReplaced(account, storedPlaces.screens(robot), before, now, keptMs);
    }
  }

  /** Newest first. Empty for a robot that is not the account's. */
  async list(account: string, robot: string): Promise<ScreenRecord[]> {
    const texts = await guarded(() => this.#redis.commands.lrange(accountKeys.screens(account, robot), 0, -1));
    const oldest = this.#clock.now() - keptMs;
    const records = texts.flatMap((text) => parseScreen(text, this.#redis.forms) ?? []);
    // A question is appended when it has ended, possibly behind a card that was shown later.
    return records.filter(({ at }) => at >= oldest).toSorted((a, b) => b.at - a.at);
  }
}
