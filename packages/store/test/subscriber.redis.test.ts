import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { Cluster, Redis } from 'ioredis';
import { privateRedis, until } from '@perch/testkit';
import { Subscriber } from '../src/redis/subscriber.js';

describe('subscriptions', () => {
  it('renews subscriptions later that could not be renewed at once, for old and new listeners', async () => {
    const server = await privateRedis();
    const [connection, publisher] = [new Redis(server.url), new Redis(server.url)];
    const errors: Error[] = [];
    const subscriber = new Subscriber(connection, false, (error) => void errors.push(error));
    try {
      const channel = `test:${Math.random()}`;
      const heard: (string | null)[] = [];
      await subscriber.subscribe(channel, (message) => heard.push(message));

      const subscribe = connection.subscribe.bind(connection);
      connection.subscribe = (() => {
        connection.subscribe = subscribe;
        return Promise.reject(new Error('Command timed out'));
      }) as typeof subscribe;
      connection.options.autoResubscribe = false;
      connection.disconnect(true);
      await until(() => errors.length === 1);

      await until(async () => {
        await publisher.publish(channel, 'again');
        return heard.includes('again');
      });
      (await subscriber.subscribe(channel, () => {}))();
      assert.ok(heard.includes(null), 'whoever listens is told to look');
    } finally {
      subscriber.close();
      connection.disconnect();
      publisher.disconnect();
      await server.stop();
    }
  });

  it('lets an instance stop although Redis cannot confirm the end of its subscriptions, because the Cluster is down', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const cluster = new Cluster([{ host: '127.0.0.1', port }], { shardedSubscribers: true, clusterRetryStrategy: () => 100 });
    cluster.on('error', () => {});
    const subscriber = new Subscriber(cluster, true, () => {});
    try {
      subscriber.subscribe('test', () => {}).catch(() => {});
      await subscriber.unsubscribed('test');
    } finally {
      subscriber.close();
      cluster.disconnect();
    }
  });
});
