/**
 * Waits that outlive their calls. Nobody holds such a wait: its record, deadline and outcome are in Redis.
 * - Whoever ends it (robot-link or gateway) appends its event `answered`. The event and the mark that it was appended are one step: it comes once.
 * - `due` lists the waits whose event is not appended yet. Gateways look after them, so that a wait also ends, and is reported, if its robot is away
 *   or if the instance that ended it died.
 */
import { limits, tappedFields, type DetachedWait, type WaitRecord } from '@perch/schema';
import type { Events } from '../events/events.js';
import { waitId } from '../redis/ids.js';
import type { RedisClock } from '../instances/clock.js';
import { robotKeys, sharedKeys } from '../redis/keys.js';
import type { Connections } from '../redis/connections.js';
import { guarded } from '../redis/errors.js';
import type { StoredWait, Waits } from './waits.js';

/** How often a gateway looks after a wait that has not ended, ms. */
const lookEveryMs = 60_000;
/** When a gateway looks first, ms: it learns when the key that asked expires. */
const firstLookMs = 1_000;
/** The robot-link ends the wait at its deadline; a gateway looks this much later, ms. */
const lateMs = 1_000;
/** For an event that exceeds what is accepted in a second. */
const busyRetryMs = 250;
const busyTries = 5;

export interface DetachedWaitsOptions {
  redis: Connections;
  clock: Pick<RedisClock, 'now'>;
  waits: () => Waits;
  events: Pick<Events, 'append'>;
  onError: (error: Error) => void;
}

export class DetachedWaits {
  readonly #options: DetachedWaitsOptions;
  readonly #reporting = new Set<Promise<void>>();

  constructor(options: DetachedWaitsOptions) {
    this.#options = options;
  }

  /** @returns the id of the wait; null if its record has expired @throws {StoreError} the wait may be detached */
  async detach(robot: string, record: WaitRecord, detached: DetachedWait): Promise<string | null> {
    const { clock, waits } = this.#options;
    // First, so that a gateway looks after it in any case.
    await this.#lookAt(robot, record.number, clock.now() + firstLookMs);
    const kept = await waits().detach(robot, record, detached);
    if (kept?.state === 'ended') this.ended(robot, record.number);
    return kept === null ? null : waitIdOf(robot, { record, detached: kept.detached });
  }

  /** @param wait its id, which `newestOf` then returns */
  async noteNewest(owner: string, wait: string, timeoutMs: number): Promise<void> {
    const ttlMs = Math.ceil(timeoutMs) + limits.wait.detachedKeptS * 1000;
    await guarded(() => this.#options.redis.commands.set(sharedKeys.asked(owner), wait, 'PX', ttlMs));
  }

  /** Returns the id of the wait that this key, grant or account asked last, which may be over; null: none that is kept. */
  newestOf(owner: string): Promise<string | null> {
    return guarded(() => this.#options.redis.commands.get(sharedKeys.asked(owner)));
  }

  /** Returns the id of the open wait of a robot if `owner` asked it, and may read it. */
  async openOf(robot: string, owner: string): Promise<string | null> {
    const number = await guarded(() => this.#options.redis.commands.hget(robotKeys.waitHead(robot), 'open'));
    const wait = number === null ? null : await this.#options.waits().read(robot, Number(number));
    return wait?.detached?.owner === owner && wait.outcome === null ? waitIdOf(robot, wait) : null;
  }

  /** Reports the end of a wait. Does not reject: a gateway that looks after it reports it later. */
  ended(robot: string, number: number): void {
    const reporting: Promise<void> = this.report(robot, number)
      .catch((error: unknown) => this.#options.onError(error as Error))
      .finally(() => this.#reporting.delete(reporting));
    this.#reporting.add(reporting);
  }

  /** Appends the event of a wait that has ended, unless it was appended. May be repeated. @throws {StoreError} */
  async report(robot: string, number: number): Promise<void> {
    const wait = await this.#options.waits().read(robot, number);
    if (wait?.outcome === null) return;
    if (wait?.detached && wait.detached.held !== true && !(await this.#append(robot, wait))) return;
    await guarded(() => this.#options.redis.commands.zrem(sharedKeys.detachedWaits(), entryOf(robot, number)));
  }

  /** Returns waits to look after now. Each is due again after a minute, or at the time for which `lookAgain` asks, until its event is appended. */
  async due(countMax: number): Promise<{ robot: string; number: number }[]> {
    const { redis, clock } = this.#options;
    const key = sharedKeys.detachedWaits();
    const entries = await guarded(() => redis.commands.zrangebyscore(key, '-inf', clock.now(), 'LIMIT', 0, countMax));
    if (entries.length === 0) return [];
    const nextAt = clock.now() + lookEveryMs;
    await guarded(() => redis.commands.zadd(key, 'XX', ...entries.flatMap((entry) => [nextAt, entry])));
    return entries.map((entry) => {
      const [robot, number] = entry.split(' ');
      return { robot: robot!, number: Number(number) };
    });
  }

  /** @param deadline of the open wait, or the end of who asked if that comes first, Redis ms */
  async lookAgain(robot: string, number: number, deadline: number): Promise<void> {
    const { redis, clock } = this.#options;
    const at = Math.min(clock.now() + lookEveryMs, deadline + lateMs);
    await guarded(() => redis.commands.zadd(sharedKeys.detachedWaits(), 'XX', at, entryOf(robot, number)));
  }

  /** Resolves when the ends noted so far are reported. */
  async settled(): Promise<void> {
    await Promise.all(this.#reporting);
  }

  async #append(robot: string, { record, outcome, detached }: StoredWait): Promise<boolean> {
    const { number, kind } = record;
    const failure = outcome?.outcome === 'failed' ? { code: outcome.code } : {};
    const data = {
      wait: waitIdOf(robot, { record, detached: detached! }),
      action: kind,
      outcome: outcome!.outcome,
      ...tappedFields(kind, detached!.choices, outcome),
      ...failure,
    };
    for (let tries = 0; tries < busyTries; tries++) {
      const appended = await this.#options.events.append(robot, {
        session: '',
        bootId: '',
        inSeq: null,
        wait: number,
        events: [{ name: 'answered', data }],
      });
      if (appended.appended || appended.why !== 'busy') return true;
      await new Promise((resolve) => setTimeout(resolve, busyRetryMs));
    }
    return false;
  }

  async #lookAt(robot: string, number: number, at: number): Promise<void> {
    await guarded(() => this.#options.redis.commands.zadd(sharedKeys.detachedWaits(), at, entryOf(robot, number)));
  }
}

/** A question of the queue is known under the number that it had there. */
export function waitIdOf(robot: string, { record, detached }: Pick<StoredWait, 'record' | 'detached'>): string {
  return waitId(robot, { number: detached?.queuedAs ?? record.number, random: detached?.random });
}

function entryOf(robot: string, number: number): string {
  return `${robot} ${number}`;
}
