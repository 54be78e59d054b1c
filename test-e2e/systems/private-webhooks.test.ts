import assert from 'node:assert/strict';
import { privateRedis, until } from '@perch/testkit';
import { WebhookReceiver } from '../fixture/clients/webhook-receiver.js';
import { useSystem } from '../fixture/system/system-under-test.js';

const json = { 'content-type': 'application/json' };
// Within the rate limit of a key.
const asking = { timeoutMs: 40_000, everyMs: 150 };

describe('webhooks where private addresses are not allowed (1 gateway, 1 robot-link, 1 webhooks)', () => {
  const system = useSystem({ gateways: 1, links: 1, renderers: 0 }, async () => ({ redis: await privateRedis(), webhooks: 1 }));

  it('private addresses are rejected when a webhook is created, and at the connection if the name changed', async () => {
    const receiver = await WebhookReceiver.open();
    try {
      const tenant = await system.tenant();
      const api = tenant.api();
      for (const url of [
        'http://example.com',
        'https://127.0.0.1/',
        'https://[::1]/',
        'https://10.1.2.3:8443/',
        'https://localhost/',
        'https://a.localhost/',
      ]) {
        const { status, body } = await api.send('POST', '/v1/webhooks', JSON.stringify({ url }), { headers: json });
        assert.deepEqual([status, body.field], [400, 'url'], url);
      }
      // As if its name had resolved elsewhere when the webhook was created, or the operator had changed the setting.
      for (const [url, said] of [
        [receiver.url('/').replace('http:', 'https:'), /127\.0\.0\.1 leads to an address/],
        [receiver.url('/', 'localhost').replace('http:', 'https:'), /localhost leads to an address/],
        [receiver.url('/'), /not https/],
      ] as const) {
        const { id } = await system.store.webhooks.create(tenant.account, { url });
        const { body } = await api.send('POST', `/v1/webhooks/${id}/test`, undefined);
        const failed = await until(async () => {
          const { delivery } = (await api.get(`/v1/webhooks/${id}/deliveries/${body.delivery.id}`)).body;
          return delivery.status === 'failed' ? delivery : null;
        }, asking);
        assert.match(failed.last_error, said);
      }
      assert.deepEqual([receiver.received, receiver.forged], [[], 0]);
    } finally {
      await receiver.close();
    }
  });
});
