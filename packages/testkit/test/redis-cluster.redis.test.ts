import assert from 'node:assert/strict';
import { askRedis } from '@perch/local-redis';
import { needsRedisServer, redisCluster, until } from '@perch/testkit';

describe('redisCluster', () => {
  before(function () {
    needsRedisServer(this);
  });

  it('forms a healthy cluster in which each master serves a part of the slots', async () => {
    const cluster = await redisCluster();
    try {
      assert.equal(cluster.masters.length, 3);
      for (const { port } of cluster.masters) assert.match(await askRedis(port, ['CLUSTER', 'INFO']), /cluster_state:ok/);
      const results = await Promise.allSettled(cluster.masters.map(({ port }) => askRedis(port, ['SET', 'somewhere', '1'])));
      assert.deepEqual(results.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected', 'rejected'], 'exactly one master holds a key');
      const moved = results.filter((one) => one.status === 'rejected').map(({ reason }) => String(reason));
      for (const reason of moved) assert.match(reason, /MOVED/);
    } finally {
      await cluster.stop();
    }
  });

  it('promotes a replica of a master that was killed', async () => {
    const cluster = await redisCluster({ replicas: 1, appendOnly: true });
    try {
      assert.equal(cluster.nodes.length, 6);
      const roles = async () => Promise.all(cluster.nodes.map(async ({ port, running }) => (running ? roleOf(port) : 'gone')));
      assert.deepEqual(await roles(), ['master', 'master', 'master', 'slave', 'slave', 'slave']);
      const victim = cluster.masters[0]!;
      await victim.kill();
      await until(async () => (await roles()).slice(3).includes('master'), { what: 'a replica to be promoted' });
      await victim.restart();
      await until(() => cluster.whole(), { what: 'the cluster to be healthy again' });
      assert.equal(await roleOf(victim.port), 'slave');
    } finally {
      await cluster.stop();
    }
  });
});

async function roleOf(port: number): Promise<string> {
  return /role:(\w+)/.exec(await askRedis(port, ['INFO', 'replication']))![1]!;
}
