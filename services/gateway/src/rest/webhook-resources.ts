/** Routes of /v1/webhooks. */
import type { JsonBodies } from '../http/json-body.js';
import type { RestRequest, Resource } from './actions.js';
import type { WebhookService } from './webhook-service.js';

type Handle = (request: RestRequest, webhook: string, delivery: string) => Promise<object>;

/** Returns a function that maps the path segments after /v1/webhooks to a resource, or undefined. */
export function webhookResources(webhooks: WebhookService, bodies: JsonBodies): (segments: readonly string[]) => Resource | undefined {
  const listed: [string, Handle][] = [
    ['GET', async ({ key }) => ({ webhooks: await webhooks.list(key) })],
    ['POST', async ({ key, exchange }) => webhooks.create(key, await bodies.read(exchange, key.account))],
  ];
  const one: [string, Handle][] = [
    ['GET', async ({ key }, id) => ({ webhook: await webhooks.read(key, id) })],
    [
      'DELETE',
      async ({ key }, id) => {
        await webhooks.remove(key, id);
        return {};
      },
    ],
  ];
  const test: [string, Handle][] = [['POST', async ({ key }, id) => ({ delivery: await webhooks.test(key, id) })]];
  const deliveries: [string, Handle][] = [['GET', async ({ key }, id) => ({ deliveries: await webhooks.deliveries(key, id) })]];
  const delivery: [string, Handle][] = [['GET', async ({ key }, id, which) => ({ delivery: await webhooks.delivery(key, id, which) })]];
  const replay: [string, Handle][] = [['POST', async ({ key }, id, which) => ({ delivery: await webhooks.replay(key, id, which) })]];

  return (segments) => {
    const [id = '', what = '', which = '', action] = segments;
    const resource = (methods: [string, Handle][]): Resource => ({
      label: 'webhooks',
      cost: 1,
      methods: new Map(
        methods.map(([method, handle]) => [method, async (request) => JSON.stringify({ ok: true, ...(await handle(request, id, which)) })]),
      ),
    });
    if (segments.length === 0) return resource(listed);
    if (segments.length === 1) return resource(one);
    if (segments.length === 2 && what === 'test') return resource(test);
    if (what !== 'deliveries') return undefined;
    if (segments.length === 2) return resource(deliveries);
    if (segments.length === 3) return resource(delivery);
    return segments.length === 4 && action === 'replay' ? resource(replay) : undefined;
  };
}
