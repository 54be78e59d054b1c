/** A robot with a webhook has a mark in its log (last event handed over), set after the webhook is written, or within a minute by `WebhookJobs`. */
import { randomBytes } from 'node:crypto';
import { ApiError, limits, type EventName, type WebhookChanges } from '@perch/schema';
import type { RedisClock } from '../instances/clock.js';
import { accountRemoved } from '../accounts/account-limits.js';
import { storedPlaces, type AccountStorage } from '../accounts/account-storage.js';
import { inDoubt, StoreError, guarded } from '../redis/errors.js';
import { inTime } from '../redis/in-time.js';
import { newId } from '../redis/ids.js';
import { accountKeys, robotKeys, sharedKeys } from '../redis/keys.js';
import type { Connections } from '../redis/connections.js';
import { inSlices, type RobotIds } from '../robots/robot-ids.js';
import type { SliceQueue } from '../redis/slice-queue.js';

export interface WebhookRecord {
  id: string;
  account: string;
  url: string;
  /** null: all robots of the account. */
  robots: string[] | null;
  /** null: all events. */
  names: EventName[] | null;
  /** `whsec_` and base64 of 32 random bytes, in plain text because messages are signed with it. */
  secret: string;
  /** Redis ms. */
  createdAt: number;
  /** The API key that created it; absent if a session or an older version did. */
  keyHash?: string;
  /** Id of that key once it was revoked: no list has its hash any more. */
  revokedKey?: string;
  /** When the webhook was created, or last enabled. */
  since: number;
  disabled: string | null;
  /** Whether its owner paused it; then `disabled` is set as well, which releases without this field read. */
  paused?: true;
  /** Signs messages beside `secret` until then (Redis ms). */
  former?: { secret: string; until: number };
}

const pausedWhy = 'Paused by its owner.';
/** Concurrent changes of one webhook: by its owner and by deliveries that end. */
const changesAtOnceMax = 20;

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

  /** For events from now on, and durable; one that is not returned does not exist. @throws {ApiError} bad_argument when the account has the maximum @throws {StoreError} full, or removed */
  async create(
    account: string,
    { url, robots, names, keyHash }: { url: string; robots?: string[]; names?: EventName[]; keyHash?: string },
  ): Promise<WebhookRecord> {
    if ((await this.#storage.total(account)) > this.#storage.bytesMax) throw this.#storage.full();
    const secret = newWebhookSecret();
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
    const keys = [accountKeys.webhooks(account), sharedKeys.hookedAccounts()];
    const created = await this.#redis.durably(
      keys,
      () => this.#write(record),
      () => this.#unlink(account, record.id),
    );
    const { perAccount } = limits.webhooks;
    if (!created) throw new ApiError('bad_argument', `url: this account has ${perAccount} webhooks already; remove one first`, { field: 'url' });
    return record;
  }

  async #write(record: WebhookRecord): Promise<boolean> {
    const { account } = record;
    const saved = await this.#save(record, limits.webhooks.perAccount);
    if (saved === 'removing') throw accountRemoved();
    if (saved === 'not_saved') return false;
    await inDoubt(async () => {
      await guarded(() => this.#redis.commands.sadd(sharedKeys.hookedAccounts(), account));
      await this.#markAll(record);
    });
    return true;
  }

  /** Oldest first. */
  async list(account: string): Promise<WebhookRecord[]> {
    const records = await guarded(() => this.#redis.commands.hvals(accountKeys.webhooks(account)));
    return records
      .flatMap((json) => this.#redis.forms.read<WebhookRecord>('webhook', json) ?? [])
      .toSorted((a, b) => a.createdAt - b.createdAt || a.id.localeCompare(b.id));
  }

  /** Oldest first. */
  async createdBy(account: string, keyHash: string): Promise<WebhookRecord[]> {
    return (await this.list(account)).filter((webhook) => webhook.keyHash === keyHash);
  }

  async creditTo(account: string, former: string, keyHash: string): Promise<void> {
    for (const { id } of await this.createdBy(account, former)) await this.#update(account, id, (record) => ({ ...record, keyHash }));
  }

  /** Notes that the key which created it is revoked. Not durable. */
  async noteRevoked(account: string, id: string, revokedKey: string): Promise<void> {
    await this.#update(account, id, (record) => (record.revokedKey === revokedKey ? null : { ...record, revokedKey }));
  }

  async get(account: string, id: string): Promise<WebhookRecord | null> {
    const json = await guarded(() => this.#redis.commands.hget(accountKeys.webhooks(account), id));
    return json === null ? null : this.#redis.forms.read<WebhookRecord>('webhook', json);
  }

  /** Drops pending messages. On disk when this resolves, as far as `durably` can know. @returns whether it existed */
  async remove(account: string, id: string): Promise<boolean> {
    return this.#redis.durably([accountKeys.webhooks(account)], () => this.#unlink(account, id));
  }

  async #unlink(account: string, id: string): Promise<boolean> {
    const { webhooks, webhookDeliveries, webhookOpen, webhookEnded } = accountKeys;
    // First: without the record nothing is written to the log.
    const removed = await guarded(() => this.#redis.commands.hdel(webhooks(account), id));
    const log = [webhookDeliveries, webhookOpen, webhookEnded].map((key) => key(account, id));
    await guarded(() => this.#redis.commands.unlink(...log));
    await guarded(() => this.#redis.commands.hdel(accountKeys.stored(account), storedPlaces.webhook(id)));
    return removed === 1;
  }

  /** Added robots send events from now on. Resuming also enables a disabled webhook, from now on. Durable. @returns null: no such webhook */
  async change(account: string, id: string, { paused, ...changes }: WebhookChanges): Promise<WebhookRecord | null> {
    const before = await this.get(account, id);
    if (before === null) return null;
    const changed = await this.#redis.durably([accountKeys.webhooks(account)], async () => {
      // Before the record names them, so that no check sets a mark that leads to their former events.
      if (changes.robots !== undefined) await this.#markFromNow({ ...before, robots: changes.robots });
      return this.#update(account, id, (record) => this.#paused({ ...record, ...changes }, paused));
    });
    if (changed !== null && changed.disabled === null) await this.#markAll(changed);
    return changed;
  }

  #paused(record: WebhookRecord, paused: boolean | undefined): WebhookRecord {
    if (paused === undefined || (!paused && record.disabled === null)) return record;
    if (paused) return { ...record, paused: true, disabled: pausedWhy };
    const { paused: _paused, ...resumed } = record;
    return { ...resumed, disabled: null, since: Math.floor(this.#clock.now()) };
  }

  /** Replaces the secret; only the one before also signs, for `overlapMs`. Durable; a secret that is not returned does not sign. @returns null: no such webhook */
  async rollSecret(account: string, id: string, overlapMs: number): Promise<WebhookRecord | null> {
    const secret = newWebhookSecret();
    const until = Math.floor(this.#clock.now() + overlapMs);
    let before: WebhookRecord | null = null;
    const roll = () =>
      this.#update(account, id, (read) => {
        before = read;
        const { former: _former, ...record } = read;
        return { ...record, secret, ...(overlapMs > 0 ? { former: { secret: record.secret, until } } : {}) };
      });
    const undo = () =>
      this.#update(account, id, ({ former: _former, ...record }) =>
        before === null || record.secret !== secret
          ? null
          : { ...record, secret: before.secret, ...(before.former === undefined ? {} : { former: before.former }) },
      );
    return this.#redis.durably([accountKeys.webhooks(account)], roll, undo);
  }

  /** Does nothing if its owner changed the URL or paused it meanwhile. @param why shown to its owner */
  async disable({ account, id, url }: WebhookRecord, why: string): Promise<void> {
    await this.#update(account, id, (record) => (record.url === url && record.paused === undefined ? { ...record, disabled: why } : null));
  }

  /** For events from now on. Does nothing if its owner changed the URL or paused it meanwhile. */
  async enable({ account, id, url }: WebhookRecord): Promise<void> {
    const enabled = await this.#update(account, id, (record) =>
      record.url === url && record.paused === undefined ? { ...record, disabled: null, since: Math.floor(this.#clock.now()) } : null,
    );
    if (enabled !== null) await this.#markAll(enabled);
  }

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

  async #markFromNow(record: WebhookRecord): Promise<void> {
    const { commands } = this.#redis;
    const { account } = record;
    const ids = await this.robotsOf(account, [record]);
    const mark = async (robot: string): Promise<void> => {
      const seq = await commands.hget(robotKeys.log(robot), 'seq');
      if (seq !== null) await commands.hsetnx(robotKeys.log(robot), 'hooked', seq);
    };
    for await (const _ of inSlices(this.#slices, { account, name: 'mark', ids }, (slice) => guarded(() => Promise.all(slice.map(mark)))));
  }

  /** Repeats the change if the record was changed meanwhile. @param change returns null to leave it @returns null when left or removed */
  async #update(account: string, id: string, change: (record: WebhookRecord) => WebhookRecord | null): Promise<WebhookRecord | null> {
    for (let attempt = 0; attempt < changesAtOnceMax; attempt++) {
      const json = await guarded(() => this.#redis.commands.hget(accountKeys.webhooks(account), id));
      const record = json === null ? null : this.#redis.forms.read<WebhookRecord>('webhook', json);
      const changed = record === null ? null : change(record);
      if (changed === null) return null;
      const saved = await this.#save(changed, 0, json!);
      if (saved !== 'not_saved') return saved === 'saved' ? changed : null;
    }
    throw new StoreError('unavailable', 'The webhook is being changed by others at the moment.');
  }

  async #save(record: WebhookRecord, max: number, former = ''): Promise<'saved' | 'not_saved' | 'removing'> {
    const keys = [accountKeys.webhooks(record.account), accountKeys.record(record.account)] as const;
    const saved = await inTime(this.#redis, 'webhookSave', keys, [record.id, JSON.stringify(record), max, former]);
    return saved === 1 ? 'saved' : saved === 2 ? 'removing' : 'not_saved';
  }
}

function newWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

export function wantsRobot({ robots, disabled }: WebhookRecord, robot: string): boolean {
  return disabled === null && (robots === null || robots.includes(robot));
}
