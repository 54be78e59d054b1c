import type { ChangeKind } from '@perch/schema';
import type { ActivityLog } from '../activity/activity-log.js';
import type { JsonBodies } from '../http/json-body.js';
import type { RestRequest, RestRoute } from './rest.js';
import type { WebhookService } from './webhook-service.js';

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
