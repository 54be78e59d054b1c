import assert from 'node:assert/strict';
import { needsRedisServer, redisCluster, until, type LocalRedisCluster } from '@perch/testkit';
import { Cluster, type Redis } from 'ioredis';
import { Subscriber } from '../src/redis/subscriber.js';

/** Private fields of ioredis: the subscriber connection to each node of a Cluster. */
interface SubscriberConnections {
  shardedSubscribers: { shardedSubscribers: Map<string, { getInstance(): Redis | null }> };
}

describe('a subscriber connection to a node of a Cluster', () => {
  let servers: LocalRedisCluster;
  let cluster: Cluster;
  let subscriber: Subscriber;
  const errors: string[] = [];

  before(async function () {
    needsRedisServer(this);
    servers = await redisCluster();
    cluster = new Cluster([{ host: '127.0.0.1', port: servers.masters[0]!.port }], { shardedSubscribers: true });
    await new Promise((resolve) => cluster.once('ready', resolve));
    subscriber = new Subscriber(cluster, true, (error) => errors.push(error.message));
  });
  after(async () => {
    subscriber?.close();
    cluster?.disconnect();
    await servers?.stop();
  });

  it('replaces a connection whose subscriptions are dead, and notifies all subscribers to read again', async () => {
    const channels = Array.from({ length: 12 }, (_, i) => `perch:{probe-${i}}:ch`);
    const received = new Map<string, (string | null)[]>(channels.map((channel) => [channel, []]));
    await Promise.all(channels.map((channel) => subscriber.subscribe(channel, (message) => received.get(channel)!.push(message))));

    // Simulates a failover after which a node has lost the channels: the connections are open, but Redis sends nothing over them.
    const { shardedSubscribers } = (cluster as unknown as SubscriberConnections).shardedSubscribers;
    const connections = [...shardedSubscribers.values()].flatMap((connection) => connection.getInstance() ?? []);
    assert.ok(connections.length >= 2);
    await Promise.all(connections.map((connection) => connection.sunsubscribe()));
    await cluster.spublish(channels[0]!, 'lost');

    await until(() => errors.length > 0, { what: 'the dead subscriptions to be detected' });
    await until(() => [...received.values()].every((messages) => messages.includes(null)), {
      what: 'all subscribers to be notified',
    });
    for (const channel of channels) {
      await until(
        async () => {
          await cluster.spublish(channel, 'again');
          return received.get(channel)!.includes('again');
        },
        { what: `messages of ${channel} to be received again` },
      );
    }
    const messages = [...received.values()].flat();
    assert.ok(!messages.includes('lost') && messages.every((message) => message === null || message === 'again'), String(messages));
  });

  it('keeps a connection that receives messages', async () => {
    errors.length = 0;
    await new Promise((resolve) => setTimeout(resolve, 7000));
    assert.deepEqual(errors, []);
  });
});
