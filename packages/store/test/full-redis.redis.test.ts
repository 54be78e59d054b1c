/** A Redis that has reached its memory limit refuses writes: that is trouble of its own, and no fault of ours. */
import assert from 'node:assert/strict';
import { redisProcess, skipTest, type LocalRedis } from '@perch/testkit';
import { Redis } from 'ioredis';
import { openStore, StoreError, type Store } from '../src/index.js';

describe('a full Redis', function () {
  this.timeout(20_000);
  let redis: LocalRedis;
  let operator: Redis;
  let store: Store;
  before(async function () {
    redis = await redisProcess().catch(() => skipTest(this, 'it needs redis-server or valkey-server on PATH'));
    store = await openStore({ url: redis.url, instance: 'gw-full' });
    operator = new Redis(redis.url);
    await operator.config('SET', 'maxmemory', '100kb');
  });
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
});
