import assert from 'node:assert/strict';
import { Queue } from 'bullmq';
import { privateRedis, type LocalRedis } from '@perch/testkit';
import { backlogOf } from '../src/jobs/queues.js';
import { sharedKeys } from '../src/redis/keys.js';
import { connect, type Connections } from '../src/redis/connections.js';

describe('the backlog of a queue', () => {
  let server: LocalRedis;
  let redis: Connections;
  before(async () => {
    server = await privateRedis();
    redis = await connect({ url: server.url });
  });
  after(async () => {
    await redis?.close();
    await server?.stop();
  });

  async function add(name: string, jobs: readonly { timestamp: number; priority?: number; delay?: number }[], shard = 0): Promise<void> {
    const queue = new Queue(name, { connection: redis.commands, prefix: sharedKeys.jobs(shard), skipVersionCheck: true });
    for (const options of jobs) await queue.add('job', {}, options);
    await queue.close();
  }

  it('reports an empty backlog for a queue without jobs', async () => {
    assert.deepEqual(await backlogOf(redis, 'none', 'prioritized', 2), { waiting: 0, oldestAt: null });
  });

  it('counts jobs of every priority in all shards and finds the oldest, whatever its priority', async () => {
    await add('drawn', [
      { timestamp: 5000, priority: 1 },
      { timestamp: 2000, priority: 40 },
      { timestamp: 3000, priority: 2 },
    ]);
    await add('drawn', [{ timestamp: 1000, priority: 3 }], 1);
    assert.deepEqual(await backlogOf(redis, 'drawn', 'prioritized', 1), { waiting: 3, oldestAt: 2000 });
    assert.deepEqual(await backlogOf(redis, 'drawn', 'prioritized', 2), { waiting: 4, oldestAt: 1000 });
  });

  it('counts delayed jobs, which wait for a worker only once they are due', async () => {
    const now = Date.now();
    await add('sent', [{ timestamp: now - 7_200_000, delay: 7_260_000 }]);
    assert.deepEqual(await backlogOf(redis, 'sent', 'delayed', 1), { waiting: 1, oldestAt: null });
    await add('sent', [{ timestamp: now - 7_200_000, delay: 7_190_000 }]);
    assert.deepEqual(await backlogOf(redis, 'sent', 'delayed', 1), { waiting: 2, oldestAt: now - 10_000 });
    await add('sent', [{ timestamp: now - 20_000 }]);
    assert.deepEqual(await backlogOf(redis, 'sent', 'delayed', 1), { waiting: 3, oldestAt: now - 20_000 });
  });

  it('counts every job of a long queue, and examines those at both ends', async () => {
    const key = `${sharedKeys.jobs(0)}:long`;
    await redis.commands.zadd(`${key}:prioritized`, ...Array.from({ length: 1500 }, (_, i) => [i, `job${i}`]).flat());
    const timestamps = { job100: 3000, job700: 1000, job1400: 2000 };
    for (const [job, timestamp] of Object.entries(timestamps)) await redis.commands.hset(`${key}:${job}`, { timestamp });
    assert.deepEqual(await backlogOf(redis, 'long', 'prioritized', 1), { waiting: 1500, oldestAt: 2000 });
  });
});
