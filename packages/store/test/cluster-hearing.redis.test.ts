import assert from 'node:assert/strict';
import { needsRedisServer, redisCluster, until, type LocalRedisCluster } from '@perch/testkit';
import { Cluster, type Redis } from 'ioredis';
import { Subscriber } from '../src/redis/subscriber.js';

/** What ioredis keeps to itself: one connection of a Cluster that listens to one node. */
interface Listening {
  shardedSubscribers: { shardedSubscribers: Map<string, { getInstance(): Redis | null }> };
}

describe('a line to a node of a Cluster', function () {
  this.timeout(40_000);
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

  it('that brings nothing although it stands is made anew, and whoever listens is told to look', async () => {
    const channels = Array.from({ length: 12 }, (_, i) => `perch:{hearing-${i}}:ch`);
    const heard = new Map<string, (string | null)[]>(channels.map((channel) => [channel, []]));
    await Promise.all(channels.map((channel) => subscriber.subscribe(channel, (message) => heard.get(channel)!.push(message))));

    // As after a failover in which the node did not take the channels back: the connections stand, Redis sends nothing over them.
    const lines = [...(cluster as unknown as Listening).shardedSubscribers.shardedSubscribers.values()].flatMap((line) => line.getInstance() ?? []);
    assert.ok(lines.length >= 2);
    await Promise.all(lines.map((line) => line.sunsubscribe()));
    await cluster.spublish(channels[0]!, 'lost');

    await until(() => errors.length > 0, { timeoutMs: 15_000, what: 'the deaf line to be noticed' });
    await until(() => [...heard.values()].every((messages) => messages.includes(null)), { timeoutMs: 15_000, what: 'all to be told to look' });
    for (const channel of channels) {
      await until(
        async () => {
          await cluster.spublish(channel, 'again');
          return heard.get(channel)!.includes('again');
        },
        { timeoutMs: 10_000, what: `${channel} to be heard again` },
      );
    }
    const said = [...heard.values()].flat();
    assert.ok(!said.includes('lost') && said.every((message) => message === null || message === 'again'), String(said));
  });

  it('that brings what is sent is left alone', async () => {
    errors.length = 0;
    await new Promise((resolve) => setTimeout(resolve, 7000));
    assert.deepEqual(errors, []);
  });
});
