import assert from 'node:assert/strict';
import { needsRedisServer, redisCluster, until, type LocalRedisCluster } from '@perch/testkit';
import { openStore, type Store } from '../src/index.js';
import { newId } from '../src/redis/ids.js';
import { held } from './fixtures.js';

describe('webhooks on a Redis Cluster of three masters', () => {
  let cluster: LocalRedisCluster;
  let store: Store;

  before(async function () {
    needsRedisServer(this);
    cluster = await redisCluster();
    store = await openStore({ url: cluster.url, instance: 'test-1' });
  });
  after(async () => {
    await store?.close();
    await cluster?.stop();
  });

  it('delivers events of robots on all nodes to the webhooks of their accounts exactly once', async () => {
    const sent = new Map<string, string[]>();
    const worker = store.deliver({
      concurrency: 10,
      retriesMs: [],
      handlers: {
        send(webhook, { id }) {
          sent.set(webhook.account, [...(sent.get(webhook.account) ?? []), id]);
          return Promise.resolve({ status: 200, error: null });
        },
        ended: () => {},
        leftOut: (count) => assert.equal(count, 0),
      },
    });
    try {
      await worker.ready();
      const accounts = Array.from({ length: 12 }, () => newId('a'));
      const robots = await Promise.all(
        accounts.map(async (account) => {
          await store.webhooks.create(account, { url: 'https://example.com/', names: ['pat'] });
          const { robot, token } = await store.robots.create({ account });
          const { session } = await held(store, robot, { tokenHash: (await store.robots.byToken(token))!.tokenHash! });
          return { robot, session };
        }),
      );
      // The clocks of two nodes may differ slightly; an event older than its webhook is not sent.
      const made = store.clock.now();
      await until(() => store.clock.now() > made + 50);
      for (const inSeq of [1, 2]) {
        await Promise.all(
          robots.map(({ robot, session }) => store.events.append(robot, { session, bootId: 'boot1', inSeq, events: [{ name: 'pat', data: {} }] })),
        );
      }
      await until(() => accounts.every((account) => sent.get(account)?.length === 2));
      accounts.forEach((account, i) =>
        assert.deepEqual(
          sent.get(account)!.toSorted(),
          [1, 2].map((seq) => `msg_${robots[i]!.robot}_${seq}`),
        ),
      );
    } finally {
      await worker.close();
    }
  });
});
