import {
  type ChangeKind,
  ApiError,
  validateSecretOverlap,
  validateWebhook,
  validateWebhookChanges,
  type DeliveryView,
  type WebhookView,
} from '@perch/schema';
import type { ActivityLog } from '../activity/activity-log.js';
import type { JsonBodies } from '../http/json-body.js';
import type { RestRequest, RestRoute } from './rest.js';
import { randomBytes } from 'node:crypto';
import type { AdmittedKey, Delivery, Store, WebhookRecord } from '@perch/store';
import { keyStopped } from '../calls/key-validity.js';

export function webhookRoutes(webhooks: WebhookService, bodies: JsonBodies, activity: Pick<ActivityLog, 'changed'>): RestRoute[] {
  const changed = ({ exchange, key }: RestRequest, action: ChangeKind, subject: string): void =>
    activity.changed(key.account, { via: exchange.via, action, outcome: 'ok', keyHash: key.keyHash, subject });
  const id = ({ params }: RestRequest): string => params['webhook']!;
  const delivery = ({ params }: RestRequest): string => params['delivery']!;

  async function list({ key }: RestRequest): Promise<object> {
    return { ok: true, webhooks: await webhooks.list(key) };
  }
  async function create(request: RestRequest): Promise<object> {
    const { key, exchange } = request;
    const created = await webhooks.create(key, await bodies.read(exchange, key.account));
    changed(request, 'webhook_create', created.webhook.id);
    return { ok: true, ...created };
  }
  async function read(request: RestRequest): Promise<object> {
    return { ok: true, webhook: await webhooks.read(request.key, id(request)) };
  }
  async function change(request: RestRequest): Promise<object> {
    const webhook = await webhooks.change(request.key, id(request), await bodies.read(request.exchange, request.key.account));
    changed(request, 'webhook_change', id(request));
    return { ok: true, webhook };
  }
  async function rollSecret(request: RestRequest): Promise<object> {
    const rolled = await webhooks.rollSecret(request.key, id(request), await bodies.read(request.exchange, request.key.account));
    changed(request, 'webhook_secret_roll', id(request));
    return { ok: true, ...rolled };
  }
  async function remove(request: RestRequest): Promise<object> {
    await webhooks.remove(request.key, id(request));
    changed(request, 'webhook_remove', id(request));
    return { ok: true };
  }
  async function test(request: RestRequest): Promise<object> {
    return { ok: true, delivery: await webhooks.test(request.key, id(request)) };
  }
  async function listDeliveries(request: RestRequest): Promise<object> {
    return { ok: true, deliveries: await webhooks.deliveries(request.key, id(request)) };
  }
  async function readDelivery(request: RestRequest): Promise<object> {
    return { ok: true, delivery: await webhooks.delivery(request.key, id(request), delivery(request)) };
  }
  async function replay(request: RestRequest): Promise<object> {
    return { ok: true, delivery: await webhooks.replay(request.key, id(request), delivery(request)) };
  }

  const label = 'webhooks';
  return [
    { method: 'GET', path: 'webhooks', cost: 1, label, handle: list },
    { method: 'POST', path: 'webhooks', cost: 1, label, handle: create },
    { method: 'GET', path: 'webhooks/{webhook}', cost: 1, label, handle: read },
    { method: 'PATCH', path: 'webhooks/{webhook}', cost: 1, label, handle: change },
    { method: 'POST', path: 'webhooks/{webhook}/secret', cost: 1, label, handle: rollSecret },
    { method: 'DELETE', path: 'webhooks/{webhook}', cost: 1, label, handle: remove },
    { method: 'POST', path: 'webhooks/{webhook}/test', cost: 1, label, handle: test },
    { method: 'GET', path: 'webhooks/{webhook}/deliveries', cost: 1, label, handle: listDeliveries },
    { method: 'GET', path: 'webhooks/{webhook}/deliveries/{delivery}', cost: 1, label, handle: readDelivery },
    { method: 'POST', path: 'webhooks/{webhook}/deliveries/{delivery}/replay', cost: 1, label, handle: replay },
  ];
}

/** An API key reaches a webhook if it reaches all robots of the webhook. */
type Owner = Pick<AdmittedKey, 'account' | 'robots' | 'keyHash'>;

interface WebhooksOptions {
  store: Pick<Store, 'apiKeys' | 'robots' | 'webhooks' | 'deliveries' | 'webhookJobs' | 'clock'>;
  allowPrivate: boolean;
}

/** A pending message overdue by this has lost its job, ms. */
const overdueMs = 60_000;

export class WebhookService {
  readonly #options: WebhooksOptions;

  constructor(options: WebhooksOptions) {
    this.#options = options;
  }

  async list(owner: Owner): Promise<WebhookView[]> {
    const records = await this.#options.store.webhooks.list(owner.account);
    return this.#views(
      owner.account,
      records.filter((record) => reaches(owner, record)),
    );
  }

  /** @throws {ApiError} bad_argument with `field`; also if the account has reached its maximum */
  async create(owner: Owner, body: unknown): Promise<{ webhook: WebhookView; secret: string }> {
    const { store, allowPrivate } = this.#options;
    const args = validateWebhook(body, allowPrivate);
    await this.#requireReach(owner, args.robots ?? null);
    const record = await store.webhooks.create(owner.account, {
      ...args,
      keyHash: owner.keyHash,
      ...(args.robots === undefined ? {} : { robots: [...new Set(args.robots)] }),
    });
    // Its key or session may have ended while the request arrived.
    if (!(await store.apiKeys.stillValid([owner.keyHash]))[0]) {
      await store.webhooks.remove(owner.account, record.id);
      throw keyStopped('before the webhook was created');
    }
    return { webhook: await this.#view(record), secret: record.secret };
  }

  async read(owner: Owner, id: string): Promise<WebhookView> {
    return this.#view(await this.#find(owner, id));
  }

  /** @throws {ApiError} not_found; bad_argument with `field` */
  async change(owner: Owner, id: string, body: unknown): Promise<WebhookView> {
    const { store, allowPrivate } = this.#options;
    await this.#find(owner, id);
    const changes = validateWebhookChanges(body, allowPrivate);
    if (changes.robots !== undefined) await this.#requireReach(owner, changes.robots);
    const unique = changes.robots ? { ...changes, robots: [...new Set(changes.robots)] } : changes;
    return this.#view((await store.webhooks.change(owner.account, id, unique)) ?? throwing(noSuchWebhook()));
  }

  /** @throws {ApiError} not_found; bad_argument with `field` */
  async rollSecret(owner: Owner, id: string, body: unknown): Promise<{ webhook: WebhookView; secret: string }> {
    await this.#find(owner, id);
    const overlapMs = validateSecretOverlap(body);
    const record = (await this.#options.store.webhooks.rollSecret(owner.account, id, overlapMs)) ?? throwing(noSuchWebhook());
    return { webhook: await this.#view(record), secret: record.secret };
  }

  /** @param robots of a webhook; null: all @throws {ApiError} bad_argument */
  async #requireReach(owner: Owner, robots: readonly string[] | null): Promise<void> {
    if (robots === null && owner.robots !== '*') {
      throw new ApiError('bad_argument', 'robots: required, because this key reaches only some robots; name the robots whose events to send', {
        field: 'robots',
      });
    }
    const wanted = robots ?? [];
    const outOfReach = owner.robots === '*' ? -1 : wanted.findIndex((robot) => !owner.robots.includes(robot));
    const foreign = outOfReach === -1 ? await this.#options.store.robots.firstForeign(owner.account, wanted) : outOfReach;
    if (foreign !== -1) throw new ApiError('bad_argument', `robots[${foreign}]: not a robot of this key`, { field: `robots[${foreign}]` });
  }

  /** Pending retries are not sent. */
  async remove(owner: Owner, id: string): Promise<void> {
    await this.#find(owner, id);
    await this.#options.store.webhooks.remove(owner.account, id);
  }

  /** Sends a message of type `test`, without retries; also to a disabled webhook. @throws {ApiError} not_found, storage_full */
  async test(owner: Owner, id: string): Promise<DeliveryView> {
    const { deliveries, clock } = this.#options.store;
    const record = await this.#find(owner, id);
    const payload = { type: 'test', timestamp: new Date(clock.now()).toISOString(), data: { webhook: id } };
    return this.#send(record, deliveries.newDelivery(`msg_test_${randomBytes(9).toString('hex')}`, null, payload), true);
  }

  async deliveries(owner: Owner, id: string): Promise<DeliveryView[]> {
    return (await this.#options.store.deliveries.list(await this.#find(owner, id))).map(deliveryViewOf);
  }

  async delivery(owner: Owner, id: string, delivery: string): Promise<DeliveryView> {
    return deliveryViewOf(await this.#findDelivery(await this.#find(owner, id), delivery));
  }

  /** Resends a message that ended or is overdue, with the same id and with retries. @throws {ApiError} not_found, bad_argument, storage_full */
  async replay(owner: Owner, id: string, delivery: string): Promise<DeliveryView> {
    const record = await this.#find(owner, id);
    if (record.paused) throw new ApiError('bad_argument', 'The webhook is paused. Resume it first.');
    if (record.disabled !== null)
      throw new ApiError('bad_argument', 'The webhook is disabled. Send a test first: a test that is delivered enables it.');
    const found = await this.#findDelivery(record, delivery);
    const nextAt = Math.floor(this.#options.store.clock.now());
    if (found.status === 'pending' && (found.nextAt ?? 0) > nextAt - overdueMs) {
      throw new ApiError('bad_argument', 'The message is still being sent: see its next_at.');
    }
    return this.#send(record, { ...found, status: 'pending', nextAt }, found.type === 'test');
  }

  async #send(record: WebhookRecord, delivery: Delivery, once: boolean): Promise<DeliveryView> {
    const { deliveries, webhookJobs } = this.#options.store;
    const [opened] = (await deliveries.addOpen(record, [delivery], true)) ?? [];
    if (opened === undefined) throw noSuchWebhook();
    if (opened === 'full')
      throw new ApiError('storage_full', 'Too many messages of this webhook are pending, or the storage of the account is full. Try again later.', {
        retryAfterS: 60,
      });
    await webhookJobs.send(record, delivery, once);
    return deliveryViewOf(delivery);
  }

  async #view(record: WebhookRecord): Promise<WebhookView> {
    return (await this.#views(record.account, [record]))[0]!;
  }

  async #views(account: string, records: readonly WebhookRecord[]): Promise<WebhookView[]> {
    const keyHashes = [...new Set(records.flatMap(({ keyHash }) => keyHash ?? []))];
    const keys = await this.#options.store.apiKeys.named(account, keyHashes);
    const now = this.#options.store.clock.now();
    return records.map((record) => viewOf(record, keys.get(record.keyHash ?? '') ?? null, now));
  }

  async #find(owner: Owner, id: string): Promise<WebhookRecord> {
    const record = await this.#options.store.webhooks.get(owner.account, id);
    if (record === null || !reaches(owner, record)) throw noSuchWebhook();
    return record;
  }

  async #findDelivery(record: WebhookRecord, id: string): Promise<Delivery> {
    const delivery = await this.#options.store.deliveries.get(record, id);
    if (delivery === null) throw new ApiError('not_found', 'There is no such delivery, or it is no longer kept.');
    return delivery;
  }
}

function noSuchWebhook(): ApiError {
  return new ApiError('not_found', 'There is no such webhook of this key.');
}

function throwing(error: ApiError): never {
  throw error;
}

function reaches({ robots: reached }: Owner, { robots }: WebhookRecord): boolean {
  return reached === '*' || (robots?.every((robot) => reached.includes(robot)) ?? false);
}

function viewOf(record: WebhookRecord, createdBy: WebhookView['created_by'], now: number): WebhookView {
  const { id, url, robots, names, createdAt, disabled, paused, former } = record;
  return {
    id,
    url,
    robots,
    names,
    created_at: time(createdAt),
    created_by: createdBy,
    disabled,
    paused: paused === true,
    former_secret_until: former !== undefined && former.until > now ? time(former.until) : null,
  };
}

function deliveryViewOf({ createdAt, lastAt, lastStatus, lastError, nextAt, ...same }: Delivery): DeliveryView {
  return {
    ...same,
    created_at: time(createdAt),
    last_at: timeOrNull(lastAt),
    last_status: lastStatus,
    last_error: lastError,
    next_at: timeOrNull(nextAt),
  };
}

function time(ms: number): string {
  return new Date(ms).toISOString();
}

function timeOrNull(ms: number | null): string | null {
  return ms === null ? null : time(ms);
}
