/** Tests of event numbers over stops, crashes and restored backups of a real Redis with an append-only file. */
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { needsRedisServer, redisProcess, until, type LocalRedis } from '@perch/testkit';
import { openStore, type Store } from '../src/index.js';
import { held, testRobot } from './fixtures.js';

describe('numbering', () => {
  let dir: string;
  let redis: LocalRedis;
  const stores: Store[] = [];

  before(function () {
    needsRedisServer(this);
  });
  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), 'perch-numbering-'));
    redis = await redisProcess({ dir, appendOnly: true });
  });
  afterEach(async () => {
    await Promise.all(stores.splice(0).map((store) => store.close()));
    await redis.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  const open = async (): Promise<Store> => {
    const store = await openStore({ url: redis.url, instance: `link-${Math.random().toString(36).slice(2, 8)}` });
    stores.push(store);
    await store.instances.announce();
    return store;
  };
  const stopped = async (store: Store): Promise<void> => {
    stores.splice(stores.indexOf(store), 1);
    await store.close();
  };
  let dials = 0;
  const append = async (store: Store, robot: string): Promise<number> => {
    const { session } = await held(store, robot, { dial: ++dials });
    return until(async () => {
      const appended = await store.events.append(robot, { session, bootId: 'boot1', inSeq: null, events: [{ name: 'shaken', data: {} }] });
      return appended.appended ? appended.lastSeq : null;
    });
  };
  const restart = async (): Promise<void> => {
    await redis.kill('SIGTERM');
    await redis.restart();
  };
  const withOlderFiles = async (between: () => Promise<void>): Promise<void> => {
    const copy = mkdtempSync(join(tmpdir(), 'perch-copy-'));
    try {
      cpSync(dir, copy, { recursive: true });
      await between();
      await redis.kill('SIGTERM');
      for (const name of ['appendonlydir', 'appendonly.aof', 'dump.rdb']) rmSync(join(dir, name), { recursive: true, force: true });
      cpSync(copy, dir, { recursive: true });
      await redis.restart();
    } finally {
      rmSync(copy, { recursive: true, force: true });
    }
  };
  /** The robots of the fixture are 60 s old: the numbers jump above 3,000. */
  const jumped = (seq: number): boolean => seq > 3000;

  it('continues event numbers without a jump when all services are stopped before Redis, repeatedly', async () => {
    let store = await open();
    const [robot, quiet] = [await testRobot(store), await testRobot(store)];
    assert.equal(await append(store, robot), 1);
    for (let seq = 2; seq <= 4; seq++) {
      await stopped(store);
      await restart();
      store = await open();
      assert.equal(await append(store, robot), seq);
    }
    assert.equal((await store.events.read(robot, {})).jumpedTo, null);
    assert.equal(await append(store, quiet), 1, 'a robot that had no event before');
  });

  it('continues event numbers without a jump when only the services are restarted', async () => {
    const store = await open();
    const robot = await testRobot(store);
    assert.equal(await append(store, robot), 1);
    await stopped(store);
    assert.equal(await append(await open(), robot), 2);
  });

  it('jumps when Redis was restarted, even cleanly, while a service was running', async () => {
    const [store, other] = [await open(), await open()];
    const robot = await testRobot(store);
    await append(store, robot);
    await append(other, await testRobot(other));
    await stopped(store);
    await restart();
    await until(() => append(other, robot).then(jumped, () => false));
  });

  it('jumps after a crash of Redis although an earlier process was stopped cleanly', async () => {
    let store = await open();
    const robot = await testRobot(store);
    await append(store, robot);
    await stopped(store);
    await restart();
    store = await open();
    assert.equal(await append(store, robot), 2);
    await redis.kill('SIGKILL');
    await redis.restart();
    await stopped(store);
    assert.ok(jumped(await append(await open(), robot)));
  });

  it('jumps after the restore of an older copy that was made while a service was running', async () => {
    const store = await open();
    const robot = await testRobot(store);
    await append(store, robot);
    await withOlderFiles(async () => {
      await append(store, robot);
      await stopped(store);
    });
    assert.ok(jumped(await append(await open(), robot)));
  });

  it('jumps after `perch redis restored` for a copy made while all was stopped, also on a Redis process that is in use', async () => {
    let store = await open();
    const robot = await testRobot(store);
    await append(store, robot);
    await stopped(store);
    await withOlderFiles(async () => {
      store = await open();
      await append(store, robot);
      assert.deepEqual(await store.numbering.markRestored(), [store.instance], 'refused while an instance appends');
      await stopped(store);
    });
    store = await open();
    assert.deepEqual(await store.numbering.markRestored(), []);
    const seq = await append(store, robot);
    assert.ok(jumped(seq));
    assert.equal(await append(store, robot), seq + 1);
    await stopped(store);
    store = await open();
    assert.deepEqual(await store.numbering.markRestored(), []);
    const later = await append(store, robot);
    assert.ok(later > seq + 1);
    // The size of the jump depends on the time since the last jump, which is short here.
    assert.equal((await store.events.read(robot, {})).jumpedTo, later);
  });

  it('ignores the record of an instance that died, and waits for a running instance', async () => {
    const [store, living] = [await open(), await open()];
    const robot = await testRobot(store);
    await append(store, robot);
    await append(living, robot);
    const key = 'perch:{numbering:0}';
    await living.connections.commands.hset(key, 'open:link-dead', 1);
    await stopped(store);
    assert.equal(await living.connections.commands.hget(key, 'sealed'), null);
    await stopped(living);
    await restart();
    assert.equal(await append(await open(), robot), 3);
  });

  it('continues event numbers without a jump with snapshots instead of an append-only file', async () => {
    await redis.stop();
    redis = await redisProcess({ dir, settings: { save: '3600 1' } });
    let store = await open();
    const robot = await testRobot(store);
    assert.equal(await append(store, robot), 1);
    for (let seq = 2; seq <= 3; seq++) {
      await stopped(store);
      await restart();
      store = await open();
      assert.equal(await append(store, robot), seq);
    }
    await redis.kill('SIGKILL');
    await redis.restart();
    await stopped(store);
    assert.ok(jumped(await append(await open(), robot)), 'the snapshot of the start was not sealed any more');
  });
});
