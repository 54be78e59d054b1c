import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { needsRedisServer, redisCluster, redisProcess, type LocalRedisCluster, until, type LocalRedis } from '@perch/testkit';
import { connect, type Connections } from '../src/redis/connections.js';
import { RedisHealth } from '../src/redis/health.js';

describe('the health of Redis, by a write a second', () => {
  let server: LocalRedis;
  let admin: Connections;
  let redis: Connections;
  let health: RedisHealth;

  before(async function () {
    needsRedisServer(this);
    server = await redisProcess({ appendOnly: true, settings: { 'busy-reply-threshold': '100' } });
    admin = await connect({ url: server.url });
  });
  beforeEach(async () => {
    await server.ask(['ACL', 'SETUSER', 'health', 'reset', 'on', 'nopass', '~*', '&*', '+@all']);
    redis = await connect({ url: server.url.replace('//', '//health:@') });
    health = new RedisHealth(redis, 'test');
    assert.equal(await health.beat(), null);
  });
  afterEach(async () => redis.close());
  after(async () => {
    await admin?.close();
    await server?.stop();
  });

  const refused = (): string[] => redis.vitals.refusals.list().flatMap(([reason, isRefused]) => (isRefused ? [reason] : []));
  const config = (name: string, value: string): Promise<unknown> => admin.commands.config('SET', name, value);

  /** Three beats that fail; the last makes the instance unready. */
  async function failThrice(reason: string): Promise<void> {
    for (const beat of [1, 2, 3]) {
      assert.match((await health.beat())!.message, /^Redis: /);
      assert.equal(redis.vitals.isUp, false);
      assert.equal(health.trouble() === null, beat < 3, `after ${beat} beats`);
    }
    assert.match(health.trouble()!, /did not take the last 3 writes/);
    assert.deepEqual(refused(), [reason]);
  }
  async function recovers(): Promise<void> {
    await until(async () => (await health.beat()) === null);
    assert.equal(health.trouble(), null, 'the first write that is taken makes it ready');
    assert.equal(redis.vitals.isUp, true);
  }

  it('is lost at the third write in a row that is refused for want of replicas, and back at the first that is taken', async () => {
    await config('min-replicas-to-write', '1');
    try {
      await failThrice('NOREPLICAS');
      assert.equal(redis.vitals.reconnects.commands, 0, 'another connection would lead to the same server');
    } finally {
      await config('min-replicas-to-write', '0');
    }
    await recovers();
  });

  it('is lost while the disk takes no snapshot and Redis therefore takes no writes', async () => {
    // A process that Redis forks writes the snapshot, into a folder that is gone.
    const [, folder] = (await admin.commands.config('GET', 'dir')) as [string, string];
    rmSync(folder, { recursive: true });
    await config('save', '60 1');
    try {
      await server.ask(['BGSAVE']);
      await until(async () => (await server.ask(['INFO', 'persistence'])).includes('rdb_last_bgsave_status:err'));
      await failThrice('MISCONF');
      assert.equal(redis.vitals.reconnects.commands, 0);
    } finally {
      await config('stop-writes-on-bgsave-error', 'no');
    }
    await recovers();
  });

  it('is lost while another client runs a script for long', async () => {
    const other = await connect({ url: server.url });
    other.commands.eval('while true do end', 0).catch(() => undefined);
    await until(async () => (await health.beat()) !== null);
    assert.deepEqual(refused(), ['BUSY']);
    await until(async () => (await health.beat(), health.trouble() !== null));
    await server.ask(['SCRIPT', 'KILL']);
    await other.close();
    await recovers();
    assert.equal(redis.vitals.reconnects.commands, 0);
  });

  it('is not lost at the memory limit, nor by a permission that is taken away, which others meet, too', async () => {
    await config('maxmemory', '1mb');
    try {
      for (let beat = 0; beat < 4; beat++) assert.equal(await health.beat(), null);
      assert.deepEqual([health.trouble(), redis.vitals.isUp, refused()], [null, true, ['OOM']]);
    } finally {
      await config('maxmemory', '0');
    }
    await server.ask(['ACL', 'SETUSER', 'health', '-set']);
    for (let beat = 0; beat < 4; beat++) assert.equal(await health.beat(), null);
    assert.deepEqual([health.trouble(), redis.vitals.isUp, refused()], [null, false, ['OOM', 'NOPERM']]);
    assert.equal(redis.vitals.reconnects.commands, 0);
  });

  it('says why there is no connection, as the server or the system said it', async () => {
    await config('maxclients', '1');
    try {
      await admin.commands.call('CLIENT', 'KILL', 'USER', 'health');
      await until(async () => ((await health.beat()) === null ? null : health.trouble()?.includes('max number of clients')));
      assert.ok(refused().includes('maxclients'));
      // The refused instance leaves the places to others.
      const before = Number(/total_connections_received:(\d+)/.exec(await admin.commands.info('stats'))![1]);
      await new Promise((resolve) => setTimeout(resolve, 3000));
      const after = Number(/total_connections_received:(\d+)/.exec(await admin.commands.info('stats'))![1]);
      assert.ok(after - before <= 4, `${after - before} connections in 3 s of two that are refused`);
    } finally {
      await config('maxclients', '10000');
    }
    await until(async () => (await health.beat(), health.trouble() === null), { what: 'all connections to be back' });
  });

  it('is not lost in a stall of 2 s', async () => {
    process.kill(server.pid, 'SIGSTOP');
    // As the heartbeat: a beat each second, while those before it may wait for their reply.
    const beats: Promise<unknown>[] = [];
    const stalledAt = performance.now();
    try {
      while (performance.now() - stalledAt < 1900) {
        beats.push(health.beat());
        await new Promise((resolve) => setTimeout(resolve, 1000));
      }
    } finally {
      process.kill(server.pid, 'SIGCONT');
    }
    await Promise.all(beats);
    assert.equal(beats.length, 2);
    assert.equal(health.trouble(), null);
    await recovers();
  });
});

describe('the health of a Redis Cluster', () => {
  let cluster: LocalRedisCluster;
  let redis: Connections;

  before(async function () {
    this.timeout(60_000);
    needsRedisServer(this);
    cluster = await redisCluster({ settings: { 'cluster-require-full-coverage': 'no', 'cluster-node-timeout': '60000' } });
    redis = await connect({ url: cluster.url });
  });
  after(async () => {
    await redis?.close();
    await cluster?.stop();
  });

  it('is not lost with one master, which is reported, and is with the last', async () => {
    const health = new RedisHealth(redis, 'test');
    assert.equal(await health.beat(), null);
    assert.equal(redis.vitals.isUp, true);
    const [first, ...others] = cluster.nodes;
    await first!.kill();
    for (let beat = 0; beat < 4; beat++) assert.equal(await health.beat(), null);
    assert.deepEqual([health.trouble(), redis.vitals.isUp], [null, false]);
    await Promise.all(others.map((node) => node.kill()));
    for (let beat = 0; beat < 3; beat++) assert.ok(await health.beat());
    assert.match(health.trouble()!, /did not take the last 3 writes of this instance: (?!.*enableOfflineQueue)/);
  });
});
