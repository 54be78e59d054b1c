/** Faults of a Redis Cluster, on a real one; and what remains after such a system stops. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LocalRedis } from '@perch/local-redis';
import { needsRedisServer, until } from '@perch/testkit';
import { failOverCluster } from '../src/faults/redis/fail-over-cluster.js';
import type { Fault } from '../src/faults/fault.js';
import { freezeClusterMaster } from '../src/faults/redis/freeze-cluster-master.js';
import { Random } from '../src/random.js';
import { startSystem, type System } from '../src/system/system.js';

describe('faults of a Redis Cluster', function () {
  let system: System;
  let dir: string;
  const crashes: string[] = [];

  before(async function () {
    needsRedisServer(this);
    dir = await mkdtemp(join(tmpdir(), 'perch-chaos-'));
    system = await startSystem({
      redis: 'cluster',
      env: process.env,
      random: new Random('faults'),
      dir,
      // One service that uses Redis; how services cope is tested by the chaos run.
      counts: { gateway: 1, 'robot-link': 0, renderer: 0, webhooks: 0 },
      onCrash: (place, how) => crashes.push(`${place} ${how}`),
    });
    await system.settled(30_000);
  });

  after(async () => {
    await system?.stop();
  });

  async function undergone(fault: Fault, check: (masters: readonly LocalRedis[]) => Promise<void>): Promise<(number | null)[]> {
    const masters = await system.redis.masters();
    const injected = await fault.inject(
      // These faults use no store and revoke no key.
      {
        system,
        neighbours: () => [],
        robots: { ids: [], misbehave: () => () => undefined, moveTo: () => undefined },
        store: null as never,
        revokeKeys: () => Promise.resolve(),
      },
      new Random('any'),
    );
    const told = [injected.lostSince()];
    try {
      await check(masters);
    } finally {
      await injected.heal();
    }
    await system.settled(30_000);
    const now = await system.redis.masters();
    assert.equal(now.length, 3);
    assert.equal(now.filter((node) => !masters.includes(node)).length, 1, 'one that was a replica');
    for (const { served } of system.instances) assert.ok(served.well);
    return told;
  }

  it('freeze-cluster-master: a replica takes over, and the old master resumes as a replica', async () => {
    const from = performance.now();
    const [lostSince] = await undergone(freezeClusterMaster, async (masters) => {
      const others = system.redis.nodes.filter((node) => !masters.includes(node));
      await until(async () => (await Promise.all(others.map(isMaster))).some(Boolean), { what: 'a replica to be promoted' });
    });
    assert.ok(lostSince! > from - 3000 && lostSince! < performance.now());
  });

  it('fail-over-cluster: a replica takes over without loss', async () => {
    assert.deepEqual(await undergone(failOverCluster, () => Promise.resolve()), [null]);
  });

  it('stops every process of a Cluster system and removes its files', async () => {
    const pids = [...system.instances.map(({ pid }) => pid), ...system.redis.nodes.map(({ pid }) => pid)];
    assert.deepEqual(pids.filter(alive), pids);
    await system.gateways[0]!.freeze();
    await system.stop();
    assert.deepEqual(pids.filter(alive), []);
    assert.ok(!existsSync(dir));
    assert.deepEqual(crashes, []);
  });
});

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function isMaster(node: LocalRedis): Promise<boolean> {
  return (await node.ask(['INFO', 'replication'])).includes('role:master');
}
