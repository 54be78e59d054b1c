/** Faults of a Redis Cluster, to a real one. */
import assert from 'node:assert/strict';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { askRedis, findRedisServer, type LocalRedis } from '@perch/local-redis';
import { skipTest, until } from '@perch/testkit';
import { failOverCluster } from '../src/faults/fail-over-cluster.js';
import type { Fault } from '../src/faults/fault.js';
import { freezeClusterMaster } from '../src/faults/freeze-cluster-master.js';
import { killClusterMaster } from '../src/faults/kill-cluster-master.js';
import { Random } from '../src/random.js';
import { startSystem, type System } from '../src/system/system.js';

describe('faults of a Redis Cluster', function () {
  this.timeout(90_000);
  let system: System;

  before(async function () {
    if (findRedisServer(process.env['PATH']) === null) skipTest(this, 'it needs redis-server or valkey-server on PATH');
    system = await startSystem({
      redis: 'cluster',
      env: process.env,
      random: new Random('faults'),
      dir: await mkdtemp(join(tmpdir(), 'perch-chaos-')),
    });
    await system.settled(30_000);
  });

  after(async () => {
    await system?.stop();
  });

  async function undergone(fault: Fault, look: (masters: readonly LocalRedis[]) => Promise<void>): Promise<(number | null)[]> {
    const masters = await system.redis.masters();
    const injected = await fault.inject(
      { system, robots: { ids: [], misbehave: () => () => undefined, moveTo: () => undefined } },
      new Random('any'),
    );
    const told = [injected.lostSince()];
    try {
      await look(masters);
    } finally {
      await injected.heal();
    }
    const now = await system.redis.masters();
    assert.equal(now.length, 3);
    assert.equal(now.filter((node) => !masters.includes(node)).length, 1, 'one that was a replica');
    for (const { served } of system.instances) assert.ok(served.well);
    await system.settled(5000);
    return told;
  }

  it('kill-cluster-master: its replica takes its place, and it comes back as a replica', async () => {
    const from = performance.now();
    const [lostSince] = await undergone(killClusterMaster, async (masters) => {
      const victim = masters.find(({ running }) => !running)!;
      assert.ok(victim);
      await until(async () => (await system.redis.masters()).length === 3, { timeoutMs: 15_000, what: 'a replica to be promoted' });
    });
    assert.ok(lostSince! > from - 3000 && lostSince! < performance.now());
  });

  it('freeze-cluster-master: its replica takes its place, and it goes on as a replica', async () => {
    const [lostSince] = await undergone(freezeClusterMaster, async (masters) => {
      const others = system.redis.nodes.filter((node) => !masters.includes(node));
      await until(async () => (await Promise.all(others.map(isMaster))).some(Boolean), { timeoutMs: 15_000, what: 'a replica to be promoted' });
    });
    assert.notEqual(lostSince, null);
  });

  it('fail-over-cluster: a replica takes its place in good order', async () => {
    assert.deepEqual(await undergone(failOverCluster, () => Promise.resolve()), [null]);
  });
});

async function isMaster({ port }: LocalRedis): Promise<boolean> {
  return (await askRedis(port, ['INFO', 'replication'])).includes('role:master');
}
