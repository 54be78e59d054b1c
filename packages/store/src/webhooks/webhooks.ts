/**
 * Webhooks of an account: where to send events, and which ones.
 *
 * A robot with a webhook has a mark in its log: the last event that was handed over. The append script returns the mark, so that events without a
 * webhook cost nothing. The webhook is written before the marks, and `WebhookJobs` sets missing marks within a minute; events older than their
 * webhook are not handed over.
 */
import { randomBytes } from 'node:crypto';
import { ApiError, limits, type EventName } from '@perch/schema';
import type { RedisClock } from '../instances/clock.js';
import { accountRemoved } from '../accounts/account-limits.js';
import { storedPlaces, type AccountStorage } from '../accounts/account-storage.js';
import { guarded } from '../redis/guarded.js';
import { newId } from '../ids.js';
import { accountKeys, robotKeys, sharedKeys } from '../keys.js';
import type { Connections } from '../redis/connections.js';
import { inSlices, type RobotIds } from '../robots/robot-ids.js';
import type { SliceQueue } from '../jobs/slice-queue.js';

export interface WebhookRecord {
  id: string;
  account: string;
  url: string;
  /** null: all robots of the account. */
  robots: string[] | null;
  /** null: all events. */
  names: EventName[] | null;
  /** `whsec_` and base64 of 32 random bytes. Stored in plain text because messages are signed with it. */
  secret: string;
  /** Redis ms. */
  createdAt: number;
  /** Hash of the API key that created it; absent if a session or an older version did. */
  keyHash?: string;
  /** Events from this time on are sent: when it was created, or last enabled. */
  since: number;
  /** Why it is disabled, or null. */
  disabled: string | null;
}

export interface WebhooksOptions {
  redis: Connections;
  clock: RedisClock;
  storage: AccountStorage;
  robotIds: RobotIds;
  slices: SliceQueue;
}

export class Webhooks {
  readonly #redis: Connections;
  readonly #storage: AccountStorage;
  readonly #clock: RedisClock;
  readonly #robotIds: RobotIds;
  readonly #slices: SliceQueue;

  constructor({ redis, clock, storage, robotIds, slices }: WebhooksOptions) {
    this.#redis = redis;
    this.#storage = storage;
    this.#clock = clock;
    this.#robotIds = robotIds;
    this.#slices = slices;
  }

  /**
   * Creates a webhook for events from now on. On disk when this resolves, as far as `durably` can tell.
   * @throws {ApiError} bad_argument when the account has the maximum number of webhooks @throws {StoreError} full, when its storage is, or the
   *   account is being removed
   */
  async create(
    account: string,
    { url, robots, names, keyHash }: { url: string; robots?: string[]; names?: EventName[]; keyHash?: string },
  ): Promise<WebhookRecord> {
    if ((await this.#storage.total(account)) > this.#storage.bytesMax) throw this.#storage.full();
    const secret = `whsec_${randomBytes(32).toString('base64')}`;
    const createdAt = Math.floor(this.#clock.now());
    const record = {
      id: newId('w'),
      account,
      url,
      robots: robots ?? null,
      names: names ?? null,
      secret,
      createdAt,
      ...(keyHash === undefined ? {} : { keyHash }),
      since: createdAt,
      disabled: null,
    };
    // The robots' tags are not in this list: a lost mark is set again within a minute.
    const created = await this.#redis.durably([accountKeys.webhooks(account), sharedKeys.hookedAccounts()], () => this.#write(record));
    const { perAccount } = limits.webhooks;
    if (!created) throw new ApiError('bad_argument', `url: this account has ${perAccount} webhooks already; remove one first`, { field: 'url' });
    return record;
  }

  /** @returns false when the account has the maximum number of webhooks */
  async #write(record: WebhookRecord): Promise<boolean> {
    const { account, id } = record;
    if (!(await this.#save(record, limits.webhooks.perAccount))) return false;
    try {
      await guarded(() => this.#redis.commands.sadd(sharedKeys.hookedAccounts(), account));
      await this.#markAll(record);
    } catch (error) {
      // The caller never receives its secret and could not verify its messages.
      await this.#unlink(account, id).catch(() => {});
      throw error;
    }
    return true;
  }

  /** Returns the account's webhooks, oldest first. */
  async list(account: string): Promise<WebhookRecord[]> {
    const records = await guarded(() => this.#redis.commands.hvals(accountKeys.webhooks(account)));
    return records
      .flatMap((json) => this.#redis.forms.read<WebhookRecord>('webhook', json) ?? [])
      .toSorted((a, b) => a.createdAt - b.createdAt || a.id.localeCompare(b.id));
  }

  /** Returns the webhooks that an API key created, oldest first. */
  async createdBy(account: string, keyHash: string): Promise<WebhookRecord[]> {
    return (await this.list(account)).filter((webhook) => webhook.keyHash === keyHash);
  }

  async get(account: string, id: string): Promise<WebhookRecord | null> {
    const json = await guarded(() => this.#redis.commands.hget(accountKeys.webhooks(account), id));
    return json === null ? null : this.#redis.forms.read<WebhookRecord>('webhook', json);
  }

  /** Removes a webhook with its log; pending messages are dropped. On disk when this resolves, as far as `durably` can tell. @returns whether it existed */
  async remove(account: string, id: string): Promise<boolean> {
    return this.#redis.durably([accountKeys.webhooks(account)], () => this.#unlink(account, id));
  }

  async #unlink(account: string, id: string): Promise<boolean> {
    const { webhooks, webhookDeliveries, webhookOpen, webhookEnded } = accountKeys;
    // The record first: without it nothing is written to the log.
    const removed = await guarded(() => this.#redis.commands.hdel(webhooks(account), id));
    const log = [webhookDeliveries, webhookOpen, webhookEnded].map((key) => key(account, id));
    await guarded(() => this.#redis.commands.unlink(...log));
    await guarded(() => this.#redis.commands.hdel(accountKeys.stored(account), storedPlaces.webhook(id)));
    return removed === 1;
  }

  /** Disables a webhook: nothing more is sent. @param why shown to its owner */
  async disable(record: WebhookRecord, why: string): Promise<void> {
    await this.#save({ ...record, disabled: why }, 0);
  }

  /** Enables a webhook for events from now on. */
  async enable(record: WebhookRecord): Promise<void> {
    const enabled = { ...record, disabled: null, since: Math.floor(this.#clock.now()) };
    if (await this.#save(enabled, 0)) await this.#markAll(enabled);
  }

  /** Returns the robots for which at least one of the account's webhooks wants events. */
  async robotsOf(account: string, webhooks: readonly WebhookRecord[]): Promise<readonly string[]> {
    if (webhooks.some(({ robots }) => robots === null)) return this.#robotIds.of(account);
    return [...new Set(webhooks.flatMap(({ robots }) => robots ?? []))];
  }

  /** Marks robots, so that the append script reports their events. A removed robot gets no new log. */
  async mark(robots: readonly string[]): Promise<void> {
    const { commands } = this.#redis;
    const exist = await guarded(() => Promise.all(robots.map((robot) => commands.exists(robotKeys.record(robot)))));
    await guarded(() => Promise.all(robots.filter((_, i) => exist[i] === 1).map((robot) => commands.hsetnx(robotKeys.log(robot), 'hooked', '0'))));
  }

  async #markAll(record: WebhookRecord): Promise<void> {
    const { account } = record;
    const ids = await this.robotsOf(account, [record]);
    for await (const _ of inSlices(this.#slices, { account, name: 'mark', ids }, (slice) => this.mark(slice)));
  }

  async #save(record: WebhookRecord, max: number): Promise<boolean> {
    const keys = [accountKeys.webhooks(record.account), accountKeys.record(record.account)] as const;
    const saved = await this.#redis.script('webhookSave', keys, [record.id, JSON.stringify(record), max]);
    if (saved === 2 && max > 0) throw accountRemoved();
    return saved === 1;
  }
}

/** Returns whether a webhook wants the events of a robot of its account. */
export function wantsRobot({ robots, disabled }: WebhookRecord, robot: string): boolean {
  return disabled === null && (robots === null || robots.includes(robot));
}
