/** Faults of the single Redis. */
import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import { fillDisk } from '../../src/faults/redis/fill-disk.js';
import { fillMemory } from '../../src/faults/redis/fill-memory.js';
import { freezeRedis } from '../../src/faults/redis/freeze-redis.js';
import { killRedis } from '../../src/faults/redis/kill-redis.js';
import { pauseRedis } from '../../src/faults/redis/pause-redis.js';
import { restoreOlderRedis } from '../../src/faults/redis/restore-older-redis.js';
import { faultOf, type FaultWorld } from './fault-world.js';

export function redisFaults(world: () => FaultWorld): void {
  it('fill-disk: Redis answers MISCONF to writes and still reads, until it can write again', async () => {
    await world().set('before');
    await world().during(fillDisk, async () => {
      await until(
        () =>
          world()
            .set('x')
            .then(
              () => false,
              (error: Error) => error.message.startsWith('MISCONF'),
            ),
        { what: 'MISCONF', timeoutMs: 10_000 },
      );
      assert.equal(await world().ask('GET', 'before'), '1');
    });
    assert.equal(await world().set('after'), 'OK');
    await assert.rejects(async () => world().during(fillDisk, () => Promise.reject(new Error('thrown'))), /thrown/);
    assert.equal(await world().set('after'), 'OK');
  });

  it('fill-memory: Redis answers OOM to writes, and a key can still be revoked', async () => {
    const { store } = world();
    const { account } = await store.accounts.create({ email: 'full@example.com' });
    const { id } = await store.apiKeys.create({ account, name: 'full' });
    world().revokeKeys = async () => {
      await assert.rejects(world().set('x'), /^Error: OOM/);
      assert.deepEqual(await store.keyRevocation.revoke(account, id, { removeWebhooks: false }), []);
    };
    await world().during(fillMemory, () => assert.rejects(world().set('x'), /^Error: OOM/));
    assert.equal(await world().set('after'), 'OK');
    assert.deepEqual(await store.apiKeys.list(account), []);
  });

  it('kill-redis: Redis restarts as another process with the data it had acknowledged', async () => {
    const { pid } = world().system.redis.nodes[0]!;
    await world().set('kept');
    const from = performance.now();
    await world().during(killRedis, async (lostSince) => {
      await assert.rejects(world().ask('PING'));
      assert.ok(lostSince()! < performance.now() && lostSince()! > from - 5000);
    });
    assert.equal(await world().ask('GET', 'kept'), '1');
    assert.notEqual(world().system.redis.nodes[0]!.pid, pid);
  });

  it('restore-older-redis: writes after the copy are lost, earlier ones are kept, and the fault reports the loss', async () => {
    await world().set('older');
    const redis = { newest: 0, gone: false };
    const restored = world().during(
      restoreOlderRedis,
      (lostSince) => {
        redis.gone = true;
        return Promise.resolve(assert.ok(lostSince()! < performance.now()));
      },
      'soon',
    );
    while (!redis.gone) {
      const next = redis.newest + 1;
      await world()
        .set(`newer-${next}`)
        .then(
          () => (redis.newest = next),
          () => undefined,
        );
    }
    await restored;
    assert.ok(redis.newest > 0);
    assert.equal(await world().ask('GET', 'older'), '1');
    assert.equal(await world().ask('GET', `newer-${redis.newest}`), '');
  });

  it('freeze-redis and pause-redis: Redis does not answer, then resumes', async () => {
    for (const [fault, seed] of [
      [freezeRedis, 'any'],
      [pauseRedis, 'all'],
    ] as const) {
      await world().during(fault, async () => assert.ok(await world().isSilent()), seed);
      assert.equal(await world().set('after'), 'OK');
    }
  });

  it('kill-redis-clients, kill-redis-subscribers: connections of that kind are new afterwards', async () => {
    const ids = async (type: string): Promise<string[]> =>
      [...(await world().ask('CLIENT', 'LIST', 'TYPE', type)).matchAll(/^id=(\d+) .*cmd=(?!client)/gm)].map(([, id]) => id!);
    for (const [fault, type] of [
      [faultOf('kill-redis-clients'), 'normal'],
      [faultOf('kill-redis-subscribers'), 'pubsub'],
    ] as const) {
      const before = await ids(type);
      assert.ok(before.length >= 4);
      await world().during(fault, () => Promise.resolve());
      const after = await ids(type);
      assert.deepEqual(
        before.filter((id) => after.includes(id)),
        [],
        fault.kind,
      );
    }
  });

  it('flush-scripts: Redis has no cached scripts', async () => {
    const known = async (): Promise<string> => /number_of_cached_scripts:(\d+)/.exec(await world().ask('INFO', 'memory'))![1]!;
    await world().ask('SCRIPT', 'LOAD', '"return"');
    assert.notEqual(await known(), '0');
    await world().during(faultOf('flush-scripts'), async () => until(async () => (await known()) === '0'));
  });
}
