/**
 * The last 20 cards and questions of each robot, at most 64 KB and for 30 d, under its account: a robot that another account adds has none of them.
 * They count in the account's quota, and an account whose quota is used up gets no new ones.
 */
import { storedPlaces, type AccountStorage } from '../accounts/account-storage.js';
import type { RedisClock } from '../instances/clock.js';
import { accountKeys } from '../redis/keys.js';
import type { Connections } from '../redis/connections.js';
import { guarded } from '../redis/errors.js';
import type { ScreenAction, EarlierScreen } from '@perch/schema';
import type { Forms } from '../redis/formats.js';
import type { ActivityVia } from './activity.js';

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

/** Bytes of the JSON of the arguments; longer ones are not kept. */
export const screenArgsBytesMax = 8192;

/**
 * A card or question that a robot showed, as it is stored: `<ms> <JSON>`. Its arguments are those of the action, without pictures. Absent fields do
 * not apply.
 */
export interface ScreenRecord {
  id: string;
  /** Redis ms at which it was shown. */
  at: number;
  action: ScreenAction;
  via: ActivityVia;
  key?: { id: string; name: string };
  /** ok; of questions answered, timed_out, replaced, client_closed, or the code of an error. */
  outcome: string;
  answer?: string;
  /** Where a question was tapped, screen pixels. */
  x?: number;
  y?: number;
  tapMs?: number;
  /** Null: longer than `screenArgsBytesMax`. */
  args: Record<string, unknown> | null;
  /** Paths of pictures that were shown and are not kept: `image`, `items[0].image`. */
  lacks?: readonly string[];
}

function screenText({ at, ...record }: ScreenRecord): string {
  return `${Math.floor(at)} ${JSON.stringify(record)}`;
}

/** Null if this release cannot read it. */
function parseScreen(text: string, forms: Forms): ScreenRecord | null {
  const end = text.indexOf(' ');
  const record = forms.read<Omit<ScreenRecord, 'at'>>('robot_screen', text.slice(end + 1));
  return record === null ? null : { at: Number(text.slice(0, end)), ...record };
}

export function screenViewOf({ id, at, action, via, key, outcome, answer, x, y, tapMs, args, lacks = [] }: ScreenRecord): EarlierScreen {
  return {
    id,
    at: new Date(at).toISOString(),
    action,
    via,
    key: key ?? null,
    outcome,
    answer: answer ?? null,
    x: x ?? null,
    y: y ?? null,
    tap_s: tapMs === undefined ? null : Math.round(tapMs) / 1000,
    arguments: args,
    lacks,
    // A menu is drawn without the pictures of its tiles; of a picture on the whole screen, nothing would be left.
    drawable: args !== null && !lacks.includes('image'),
  };
}
