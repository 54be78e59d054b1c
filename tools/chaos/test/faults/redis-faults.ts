import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import { evictingPolicy } from '../../src/faults/redis/evicting-policy.js';
import { failOverAddress } from '../../src/faults/redis/fail-over-address.js';
import { fillDisk } from '../../src/faults/redis/fill-disk.js';
import { fillMemory } from '../../src/faults/redis/fill-memory.js';
import { freezeRedis } from '../../src/faults/redis/freeze-redis.js';
import { killRedis } from '../../src/faults/redis/kill-redis.js';
import { maxClients } from '../../src/faults/redis/max-clients.js';
import { pauseRedis } from '../../src/faults/redis/pause-redis.js';
import { refuseCommand } from '../../src/faults/redis/refuse-command.js';
import { restoreOlderRedis } from '../../src/faults/redis/restore-older-redis.js';
import { faultOf, isReady, type FaultTestEnvironment } from './fault-environment.js';

export function redisFaults(environment: () => FaultTestEnvironment): void {
  it('fill-disk: Redis answers MISCONF to writes and still reads, until it can write again', async () => {
    await environment().set('before');
    await environment().during(fillDisk, async () => {
      await until(
        () =>
          environment()
            .set('x')
            .then(
              () => false,
              (error: Error) => error.message.startsWith('MISCONF'),
            ),
        { what: 'MISCONF' },
      );
      assert.equal(await environment().ask('GET', 'before'), '1');
    });
    assert.equal(await environment().set('after'), 'OK');
    await assert.rejects(async () => environment().during(fillDisk, () => Promise.reject(new Error('thrown'))), /thrown/);
    assert.equal(await environment().set('after'), 'OK');
  });

  it('fill-memory: Redis answers OOM to writes, and a key can still be revoked', async () => {
    const { store } = environment();
    const { account } = await store.accounts.create({ email: 'full@example.com' });
    const { id } = await store.apiKeys.create({ account, name: 'full' });
    environment().revokeKeys = async () => {
      await assert.rejects(environment().set('x'), /^Error: OOM/);
      assert.equal((await store.endings.end({ reason: 'key_revoked', account, key: id, removeWebhooks: false })).counts.key, 1);
    };
    await environment().during(fillMemory, () => assert.rejects(environment().set('x'), /^Error: OOM/));
    assert.equal(await environment().set('after'), 'OK');
    assert.deepEqual(await store.apiKeys.list(account), []);
  });

  it('kill-redis: Redis restarts as another process with the data it had acknowledged', async () => {
    const { pid } = environment().system.redis.nodes[0]!;
    await environment().set('kept');
    const from = performance.now();
    await environment().during(killRedis, async (lostSince) => {
      await assert.rejects(environment().ask('PING'));
      assert.ok(lostSince()! < performance.now() && lostSince()! > from - 5000);
    });
    assert.equal(await environment().ask('GET', 'kept'), '1');
    assert.notEqual(environment().system.redis.nodes[0]!.pid, pid);
  });

  it('restore-older-redis: writes after the copy are lost, earlier ones are kept, and the fault reports the loss', async () => {
    await environment().set('older');
    const redis = { newest: 0, gone: false };
    const restored = environment().during(
      restoreOlderRedis,
      (lostSince) => {
        redis.gone = true;
        return Promise.resolve(assert.ok(lostSince()! < performance.now()));
      },
      'soon',
    );
    while (!redis.gone) {
      const next = redis.newest + 1;
      await environment()
        .set(`newer-${next}`)
        .then(
          () => (redis.newest = next),
          () => undefined,
        );
    }
    await restored;
    assert.ok(redis.newest > 0);
    assert.equal(await environment().ask('GET', 'older'), '1');
    assert.equal(await environment().ask('GET', `newer-${redis.newest}`), '');
  });

  it('freeze-redis and pause-redis: Redis does not answer, then resumes', async () => {
    for (const [fault, seed] of [
      [freezeRedis, 'any'],
      [pauseRedis, 'all'],
    ] as const) {
      await environment().during(fault, async () => assert.ok(await environment().isSilent()), seed);
      assert.equal(await environment().set('after'), 'OK');
    }
  });

  it('kill-redis-clients, kill-redis-subscribers: connections of that kind are new afterwards', async () => {
    const ids = async (type: string): Promise<string[]> =>
      [...(await environment().ask('CLIENT', 'LIST', 'TYPE', type)).matchAll(/^id=(\d+) .*cmd=(?!client)/gm)].map(([, id]) => id!);
    for (const [fault, type] of [
      [faultOf('kill-redis-clients'), 'normal'],
      [faultOf('kill-redis-subscribers'), 'pubsub'],
    ] as const) {
      const before = await ids(type);
      assert.ok(before.length >= 4);
      await environment().during(fault, () => Promise.resolve());
      const after = await ids(type);
      assert.deepEqual(
        before.filter((id) => after.includes(id)),
        [],
        fault.kind,
      );
    }
  });

  it('fail-over-address: the former master refuses writes and keeps its clients, which leave it by themselves, and is the master again', async () => {
    await environment().set('before');
    await environment().during(failOverAddress, async () => {
      await assert.rejects(environment().set('x'), /^Error: READONLY/);
      const { instances, redis } = environment().system;
      const [server] = redis.nodes;
      for (const { redis: proxy } of instances) assert.notEqual(proxy!.target.port, server!.port);
      await until(async () => !/ addr=.* user=perch/.test(await environment().ask('CLIENT', 'LIST')), {
        timeoutMs: 20_000,
        what: 'the services to leave the former master',
      });
      await until(async () => (await Promise.all(instances.map(isReady))).every(Boolean), { timeoutMs: 20_000, what: 'ready instances' });
    });
    assert.equal(await environment().set('after'), 'OK');
    assert.equal(await environment().ask('GET', 'before'), '1');
  });

  it('refuse-command: the services lack one command, and have it again', async () => {
    const refused = async (): Promise<number> => (await environment().ask('ACL', 'LIST')).match(/^user perch .*/m)![0].match(/ -/g)!.length;
    const before = await refused();
    await environment().during(refuseCommand, async () => assert.equal(await refused(), before + 1));
    assert.equal(await refused(), before);
  });

  it('evicting-policy: Redis may evict keys, and may not again', async () => {
    const policy = (): Promise<string> => environment().ask('CONFIG', 'GET', 'maxmemory-policy');
    await environment().during(evictingPolicy, async () => assert.doesNotMatch(await policy(), /noeviction/));
    assert.match(await policy(), /noeviction/);
  });

  it('max-clients: Redis refuses connections until it accepts them again', async () => {
    await environment().during(maxClients, () => assert.rejects(environment().set('x'), /max number of clients|ECONNRESET|closed/));
    assert.equal(await environment().set('after'), 'OK');
    const { accounts } = environment().store;
    await until(() =>
      accounts.list().then(
        () => true,
        () => false,
      ),
    );
  });

  it('flush-scripts: Redis has no cached scripts', async () => {
    const known = async (): Promise<string> => /number_of_cached_scripts:(\d+)/.exec(await environment().ask('INFO', 'memory'))![1]!;
    await environment().ask('SCRIPT', 'LOAD', '"return"');
    assert.notEqual(await known(), '0');
    await environment().during(faultOf('flush-scripts'), async () => until(async () => (await known()) === '0'));
  });
}
