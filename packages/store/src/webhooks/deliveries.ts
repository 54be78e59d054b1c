import { limits } from '@perch/schema';
import type { RedisClock } from '../instances/clock.js';
import { storedPlaces, type AccountStorage } from '../accounts/account-storage.js';
import { guarded } from '../redis/errors.js';
import { accountKeys } from '../redis/keys.js';
import type { Connections } from '../redis/connections.js';
import type { WebhookRecord } from './webhooks.js';

/** Times in Redis ms. */
export interface Delivery {
  id: string;
  status: 'pending' | 'delivered' | 'failed';
  /** null for a test message. */
  robot: string | null;
  type: string;
  createdAt: number;
  attempts: number;
  lastAt: number | null;
  lastStatus: number | null;
  lastError: string | null;
  nextAt: number | null;
  payload: Record<string, unknown>;
}

/** `open`: to be sent. `known`: it has ended. `full`: the maximum number of messages is open, or the account's storage is full. */
export type AddOpenResult = 'open' | 'known' | 'full';

type Owner = Pick<WebhookRecord, 'account' | 'id'>;

const keptMs = 3 * 86_400_000;
/** Retries of an open message end within a day, so an older one has lost its job and is removed. */
const givenUpMs = 2 * 86_400_000;

export class Deliveries {
  readonly #redis: Connections;
  readonly #storage: AccountStorage;
  readonly #clock: RedisClock;

  constructor(redis: Connections, clock: RedisClock, storage: AccountStorage) {
    this.#redis = redis;
    this.#storage = storage;
    this.#clock = clock;
  }

  newDelivery(id: string, robot: string | null, payload: Record<string, unknown>): Delivery {
    const createdAt = Math.floor(this.#clock.now());
    const nothing = { attempts: 0, lastAt: null, lastStatus: null, lastError: null };
    return { id, status: 'pending', robot, type: String(payload['type']), createdAt, ...nothing, nextAt: createdAt, payload };
  }

  /** Stores each message once, even if several jobs pass it. @param again reopens ended ones @returns null when there is no such webhook */
  async addOpen({ account, id }: Owner, deliveries: readonly Delivery[], again = false): Promise<AddOpenResult[] | null> {
    const keys = [accountKeys.webhooks(account), ...logKeys(account, id), accountKeys.stored(account)] as const;
    const now = Math.floor(this.#clock.now());
    const reply = await this.#redis.script('webhookOpen', keys, [
      id,
      now,
      limits.webhooks.openMax,
      givenUpMs,
      keptMs,
      again ? '1' : '0',
      this.#storage.bytesMax,
      storedPlaces.webhook(id),
      ...deliveries.flatMap((delivery) => [delivery.id, JSON.stringify(delivery)]),
    ]);
    return reply.length === 0 && deliveries.length > 0 ? null : reply;
  }

  async recordAttempt({ account, id }: Owner, delivery: Delivery): Promise<boolean> {
    const now = Math.floor(this.#clock.now());
    const ended = delivery.status === 'pending' ? '0' : '1';
    const args = [delivery.id, JSON.stringify(delivery), ended, now, limits.webhooks.keptDeliveries, keptMs, storedPlaces.webhook(id)];
    return (await this.#redis.script('webhookNote', [...logKeys(account, id), accountKeys.stored(account)], args)) === 1;
  }

  /** Returns true also if this release cannot read the message. */
  async exists({ account, id }: Owner, delivery: string): Promise<boolean> {
    return (await guarded(() => this.#redis.commands.hexists(accountKeys.webhookDeliveries(account, id), delivery))) === 1;
  }

  async get({ account, id }: Owner, delivery: string): Promise<Delivery | null> {
    const json = await guarded(() => this.#redis.commands.hget(accountKeys.webhookDeliveries(account, id), delivery));
    return json === null ? null : this.#redis.forms.read<Delivery>('delivery', json);
  }

  /** Newest first. */
  async list({ account, id }: Owner): Promise<Delivery[]> {
    const all = await guarded(() => this.#redis.commands.hvals(accountKeys.webhookDeliveries(account, id)));
    return all
      .flatMap((json) => this.#redis.forms.read<Delivery>('delivery', json) ?? [])
      .toSorted((a, b) => b.createdAt - a.createdAt || b.id.localeCompare(a.id));
  }
}

function logKeys(account: string, webhook: string): readonly [deliveries: string, open: string, ended: string] {
  const { webhookDeliveries, webhookOpen, webhookEnded } = accountKeys;
  return [webhookDeliveries(account, webhook), webhookOpen(account, webhook), webhookEnded(account, webhook)];
}
