/** A Redis that has reached its memory limit refuses writes: that is trouble of its own, and no fault of ours. */
import assert from 'node:assert/strict';
import { needsRedisServer, redisProcess, until, type LocalRedis } from '@perch/testkit';
import { Redis } from 'ioredis';
import { openStore, StoreError, type Store } from '../src/index.js';

describe('a full Redis', function () {
  this.timeout(20_000);
  let redis: LocalRedis;
  let operator: Redis;
  let store: Store;
  const told: string[] = [];
  before(async function () {
    needsRedisServer(this);
    redis = await redisProcess();
    store = await openStore({ url: redis.url, instance: 'gw-full', onError: ({ message }) => told.push(message) });
    operator = new Redis(redis.url);
  });
  beforeEach(() => operator.config('SET', 'maxmemory', '100kb'));
  after(async () => {
    operator?.disconnect();
    await store?.close();
    await redis?.stop();
  });

  it('a first heartbeat is refused as a StoreError, and succeeds once there is room', async () => {
    await assert.rejects(store.instances.announce(), (error) => error instanceof StoreError && error.kind === 'unavailable');
    await operator.config('SET', 'maxmemory', '0');
    await store.instances.announce();
    assert.equal((await store.instances.health(['gw-full'])).get('gw-full'), 'alive');
  });

  it('keeps nobody from offering an address, which is found once there is room', async () => {
    await store.instances.offer('page', 'http://full.example');
    assert.ok(
      told.some((message) => message.includes('OOM')),
      told.join('\n'),
    );
    assert.deepEqual(await store.instances.offered('page'), []);
    await operator.config('SET', 'maxmemory', '0');
    await until(async () => (await store.instances.offered('page')).includes('http://full.example'), { timeoutMs: 15_000 });
  });
});
