import assert from 'node:assert/strict';
import { setTimeout as setTimeoutAsync } from 'node:timers/promises';
import { embeddedRedis, redisAt, redisUrl, until } from '@perch/testkit';
import { Worker } from 'bullmq';
import { LazyQueue } from '../src/jobs/queues.js';
import { connect } from '../src/redis/connections.js';
import { Workers } from '../src/jobs/workers.js';

const limits = { concurrency: 1, lockDuration: 4000, stalledInterval: 2000, maxStalledCount: 2 };
const ignore = (): void => {};

describe('workers', () => {
  it('stops a worker when its running jobs are done, however long they take', async () => {
    const redis = await connect(redisAt(await redisUrl()));
    const workers = new Workers(redis, ignore);
    const name = `slow-${process.pid}`;
    let began: () => void;
    const begun = new Promise<void>((resolve) => (began = resolve));
    let isDone = false;
    const run = async (): Promise<void> => {
      began();
      await setTimeoutAsync(2500);
      isDone = true;
    };
    workers.add(name, { run }, limits);
    workers.openShards(1);
    const jobs = new LazyQueue(redis, name, ignore);
    const queue = await jobs.opened();
    await queue.add('job', {});
    await begun;
    await workers.close();
    assert.equal(isDone, true);
    assert.equal(await queue.getActiveCount(), 0);
    await queue.obliterate();
    await jobs.close();
    await redis.close();
  });

  it('stops a worker although Redis is down and it is about to reconnect', async () => {
    const server = await embeddedRedis();
    const redis = await connect({ url: server.url });
    const workers = new Workers(redis, ignore);
    workers.add('any', { run: () => Promise.resolve() }, limits);
    workers.openShards(1);
    await workers.ready();
    await server.kill('SIGKILL');
    // After that time the pause between attempts is half a second.
    await setTimeoutAsync(2000);
    await workers.close();
    await redis.close();
    await server.stop();
  });

  it('ends the timers that extend locks when it gives up workers that do not close', async () => {
    const redis = await connect(redisAt(await redisUrl()));
    const own = Object.getOwnPropertyDescriptor(Worker.prototype, 'whenCurrentJobsFinished')!;
    const stuck: { lockManager: { isRunning(): boolean } }[] = [];
    const never = function (this: (typeof stuck)[number]): Promise<void> {
      stuck.push(this);
      return new Promise(() => {});
    };
    try {
      Object.defineProperty(Worker.prototype, 'whenCurrentJobsFinished', { ...own, value: never });
      const workers = new Workers(redis, ignore);
      workers.add('stuck', { run: () => Promise.resolve() }, limits);
      workers.openShards(4);
      await workers.ready();
      const closed = workers.close();
      await until(() => stuck.length === 4 && stuck.every(({ lockManager }) => lockManager.isRunning()), { what: 'four workers that do not close' });
      await closed;
      assert.deepEqual(
        stuck.map(({ lockManager }) => lockManager.isRunning()),
        [false, false, false, false],
      );
    } finally {
      Object.defineProperty(Worker.prototype, 'whenCurrentJobsFinished', own);
      await redis.close();
    }
  });
});
