import assert from 'node:assert/strict';
import { askRedis, findRedisServer } from '@perch/local-redis';
import { redisCluster, skipTest } from '@perch/testkit';

describe('redisCluster', () => {
  before(function () {
    if (findRedisServer(process.env['PATH']) === null) skipTest(this, 'a cluster needs redis-server or valkey-server on PATH');
  });

  it('forms a whole cluster in which each master has a share of the slots', async () => {
    const cluster = await redisCluster();
    try {
      assert.equal(cluster.masters.length, 3);
      for (const { port } of cluster.masters) assert.match(await askRedis(port, ['CLUSTER', 'INFO']), /cluster_state:ok/);
      const asked = await Promise.allSettled(cluster.masters.map(({ port }) => askRedis(port, ['SET', 'somewhere', '1'])));
      assert.deepEqual(asked.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected', 'rejected'], 'exactly one master holds a key');
      const moved = asked.filter((one) => one.status === 'rejected').map(({ reason }) => String(reason));
      for (const reason of moved) assert.match(reason, /MOVED/);
    } finally {
      await cluster.stop();
    }
  });
});
