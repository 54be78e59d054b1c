/** Restarts a real Redis whose user `default` may run nothing, as with deploy/redis/users.acl of 0.10.0: it drops transactions while it loads. */
import assert from 'node:assert/strict';
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Context } from 'mocha';
import { needsRedisServer, redisCluster, redisProcess, skipTest, until, writeRedisUsers, type LocalRedis } from '@perch/testkit';
import { Redis, type Cluster } from 'ioredis';
import { openStore, type Store } from '../src/index.js';
import { accountKeys, robotKeys, sharedKeys } from '../src/redis/keys.js';
import { masterOf, numbersOfMasters } from '../src/redis/cluster-nodes.js';
import { lostWritesText } from '../src/redis/lost-writes.js';
import { held, testRobot } from './fixtures.js';

const password = 'a-password-of-tests';

describe('lost writes', function () {
  let folder: string;
  let aclfile: string;
  let redis: LocalRedis;
  let admin: Redis;
  const stores: Store[] = [];
  const reported: string[] = [];
  let dropsTransactions: boolean;
  const needsLoss = (context: Context): void => {
    if (!dropsTransactions) skipTest(context, 'this Redis keeps transactions whatever its user default may run');
  };

  before(async function () {
    needsRedisServer(this);
    folder = mkdtempSync(join(tmpdir(), 'perch-lost-writes-'));
    aclfile = join(folder, 'users.acl');
    writeUsers('user default off');
    const server = await redisProcess({ appendOnly: true, admin: 'admin', settings: { aclfile } });
    try {
      await server.ask(['EVAL', 'redis.call([[SET]],KEYS[1],1)redis.call([[SET]],KEYS[2],1)', '2', 'a', 'b']);
      await server.kill('SIGTERM');
      await server.restart();
      dropsTransactions = (await server.ask(['EXISTS', 'a', 'b'])) === '0';
    } finally {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  });
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'perch-lost-writes-'));
    aclfile = join(folder, 'users.acl');
    writeUsers('user default off');
    redis = await redisProcess({ dir: join(folder, 'data'), appendOnly: true, settings: { aclfile } });
    admin = new Redis(redis.port, '127.0.0.1', { username: 'admin', password: 'any' });
    admin.on('error', () => {});
  });
  afterEach(async () => {
    await Promise.all(stores.splice(0).map((store) => store.close()));
    reported.length = 0;
    admin.disconnect();
    await redis.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** @param defaultUser line for the user `default`; null: as shipped */
  const writeUsers = (defaultUser: string | null): void => {
    writeRedisUsers(aclfile, { PERCH_REDIS_PASSWORD: password });
    if (defaultUser !== null) writeFileSync(aclfile, readFileSync(aclfile, 'utf8').replace(/^user default .*$/m, defaultUser));
    appendFileSync(aclfile, 'user admin on nopass ~* &* +@all\n');
  };
  const open = async (): Promise<Store> => {
    const instance = `link-${Math.random().toString(36).slice(2, 8)}`;
    const store = await openStore({
      url: `redis://perch:${password}@127.0.0.1:${redis.port}`,
      instance,
      onDataLoss: ({ message }) => reported.push(message),
    });
    stores.push(store);
    await store.instances.announce();
    return store;
  };
  const close = async (store: Store): Promise<void> => {
    stores.splice(stores.indexOf(store), 1);
    await store.close();
  };
  let dials = 0;
  const append = async (store: Store, robot: string): Promise<number> =>
    until(async () => {
      const { session } = await held(store, robot, { dial: ++dials });
      const appended = await store.events.append(robot, { session, bootId: 'boot1', inSeq: null, events: [{ name: 'shaken', data: {} }] });
      return appended.appended ? appended.lastSeq : null;
    });
  const seqs = async (store: Store, robot: string): Promise<number[]> => (await store.events.read(robot, {})).events.map(({ seq }) => seq);
  const restart = async (signal: NodeJS.Signals = 'SIGTERM'): Promise<void> => {
    await redis.kill(signal);
    await redis.restart();
  };
  const rewrite = async (): Promise<void> => {
    await admin.bgrewriteaof();
    await until(async () => /aof_rewrite_in_progress:0\r\naof_rewrite_scheduled:0/.test(await admin.info('persistence')));
  };
  /** Stores what every later load finds: numbers 1 and 2, and a numbering record that was sealed before the later ones. */
  const rewriteAfterTwoEvents = async (): Promise<string> => {
    const store = await open();
    const robot = await testRobot(store);
    assert.deepEqual([await append(store, robot), await append(store, robot)], [1, 2]);
    await close(store);
    await rewrite();
    return robot;
  };
  /** The robots of the fixture are 60 s old: the numbers jump above 3,000. */
  const jumped = (seq: number): boolean => seq > 3000;

  it('reports a loss on a running instance within seconds of the restart, and gives no event number out again', async function () {
    needsLoss(this);
    const robot = await rewriteAfterTwoEvents();
    const store = await open();
    assert.deepEqual([await append(store, robot), await append(store, robot)], [3, 4]);
    await store.lostWrites.check();
    assert.deepEqual([reported, store.connections.vitals.lostWrites], [[], 0]);
    await restart();
    await until(() => store.connections.vitals.lostWrites === 1);
    assert.deepEqual(reported, [lostWritesText]);
    assert.deepEqual(await seqs(store, robot), [1, 2], 'Redis dropped the later events');
    assert.ok(jumped(await until(() => append(store, robot).catch(() => null))));
  });

  it('gives no event number out again if all services were stopped before the restart, and reports the loss to each instance that starts', async function () {
    needsLoss(this);
    const robot = await rewriteAfterTwoEvents();
    const store = await open();
    assert.equal(await append(store, robot), 3);
    await close(store);
    await restart();
    const next = await open();
    assert.ok(jumped(await append(next, robot)));
    assert.equal(await next.lostWrites.check(), 1);
    assert.equal(await (await open()).lostWrites.check(), 1);
    assert.deepEqual(reported, [lostWritesText, lostWritesText]);
  });

  it('brings the dropped events back beside those numbered since, once the users are right, and then reports no loss', async () => {
    const robot = await rewriteAfterTwoEvents();
    const store = await open();
    await append(store, robot);
    await close(store);
    await restart();
    const next = await open();
    const later = await append(next, robot);
    await close(next);
    writeUsers(null);
    await restart();
    const last = await open();
    assert.equal(await last.lostWrites.check(), 0);
    assert.deepEqual(await seqs(last, robot), [1, 2, 3, later]);
    assert.deepEqual(await last.numbering.markRestored(), []);
    assert.ok((await append(last, robot)) > later);
  });

  it('keeps labels written after the loss, brings pictures and events back, and counts their bytes again with `perch redis restored`', async function () {
    needsLoss(this);
    let store = await open();
    const { account } = await store.accounts.create({ email: 'lost@example.org' });
    const { robot } = await store.robots.create({ account });
    await store.connections.commands.hset(robotKeys.record(robot), { token_hash: 'hash', created_at: Math.round(store.clock.now()) - 60_000 });
    const work = async (label: string, picture: Buffer): Promise<void> => {
      await append(store, robot);
      await store.robotLabels.change(account, robot, { set: { room: label } });
      await store.uploadedPictures.put(account, picture);
    };
    await work('before', Buffer.alloc(1000));
    await close(store);
    await rewrite();
    store = await open();
    await work('dropped', Buffer.alloc(20_000));
    await store.uploadedPictures.put(account, Buffer.alloc(300_000));
    await close(store);
    await restart();
    store = await open();
    assert.deepEqual(await store.robotLabels.of(account, robot), { room: 'before' });
    await work('since', Buffer.alloc(20_000));
    await close(store);
    writeUsers(null);
    await restart();

    store = await open();
    assert.deepEqual(await store.robotLabels.of(account, robot), { room: 'since' });
    assert.equal((await store.uploadedPictures.list(account)).length, 3);
    assert.equal((await seqs(store, robot)).length, 3);
    const sums = async () => {
      const { total, ...pictures } = await admin.hgetall(accountKeys.quotaBytes(account));
      const { reserved, shared } = await admin.hgetall(sharedKeys.mediaBudgetBytes(0));
      const [ofBudget, bytes] = [await admin.zscore(sharedKeys.mediaBudgetReserved(0), account), Object.values(pictures).map(Number)];
      const log = Number(await admin.hget(robotKeys.log(robot), 'bytes'));
      return {
        total: Number(total),
        entries: bytes.reduce((sum, each) => sum + each, 0),
        budget: Number(reserved) + Number(shared ?? 0),
        ofBudget,
        log,
      };
    };
    const wrong = await sums();
    assert.deepEqual(await store.numbering.markRestored(), []);
    const right = await sums();
    assert.notEqual(wrong.total, wrong.entries, 'the dropped pictures were not counted');
    assert.equal(right.total, right.entries);
    assert.equal(right.budget, right.total);
    assert.equal(Number(right.ofBudget), right.total);
    assert.equal(right.log, 3 * (wrong.log / 2), 'three events, of which two were counted');
  });

  it('stops reporting a loss after `perch redis restored`, and reports the next one', async function () {
    needsLoss(this);
    await rewriteAfterTwoEvents();
    let store = await open();
    await store.lostWrites.mark(0);
    await close(store);
    await restart();
    store = await open();
    assert.equal(await store.lostWrites.check(), 1);
    assert.deepEqual(await store.numbering.markRestored(), []);
    assert.equal(await store.lostWrites.check(), 0);
    await store.lostWrites.mark(0);
    await close(store);
    await restart();
    assert.equal(await (await open()).lostWrites.check(), 1, 'the users are still wrong');
  });

  it('numbers events above all earlier ones after `perch redis restored`, although the users are still wrong', async () => {
    const robot = await rewriteAfterTwoEvents();
    let store = await open();
    await append(store, robot);
    await close(store);
    await restart();
    store = await open();
    assert.deepEqual(await store.numbering.markRestored(), []);
    await close(store);
    await restart();
    assert.ok(jumped(await append(await open(), robot)));
  });

  it('reports no loss after a crash, an older copy of the files, or a clean restart with the shipped users', async () => {
    writeUsers(null);
    await restart();
    let store = await open();
    await store.lostWrites.mark(0);
    const copy = join(folder, 'copy');
    cpSync(join(folder, 'data'), copy, { recursive: true });
    for (let i = 0; i < 50; i++) await store.lostWrites.mark(0);
    await restart('SIGKILL');
    const found = await until(() =>
      store.lostWrites.check().then(
        (count) => [count],
        () => null,
      ),
    );
    assert.deepEqual(found, [0]);
    await close(store);
    await redis.kill('SIGTERM');
    rmSync(join(folder, 'data'), { recursive: true });
    cpSync(copy, join(folder, 'data'), { recursive: true });
    await redis.restart();
    store = await open();
    assert.equal(await store.lostWrites.check(), 0);
    assert.deepEqual(reported, []);
  });

  it('refuses `perch redis restored` while instances run that a loss took out of the records', async function () {
    needsLoss(this);
    const robot = await rewriteAfterTwoEvents();
    const link = await open();
    await append(link, robot);
    await restart();
    await until(() => link.connections.vitals.lostWrites === 1);
    const next = await open();
    assert.deepEqual(await next.numbering.markRestored(), [link.instance]);
    assert.equal(await next.lostWrites.check(), 1);
    await close(link);
    assert.deepEqual(await next.numbering.markRestored(), []);
    assert.equal(await next.lostWrites.check(), 0);
  });

  it('numbers events above those that come back after 0.10.0 went on from what a loss had left of the log', async () => {
    writeUsers(null);
    await restart();
    let store = await open();
    const robot = await testRobot(store);
    for (let i = 0; i < 5; i++) await append(store, robot);
    await close(store);
    // As read in a Redis whose dropped events 3 to 5 were executed again before what 0.10.0 had stored meanwhile.
    await admin.hset(robotKeys.log(robot), 'seq', 3);
    await restart();
    store = await open();
    assert.equal(await append(store, robot), 6);
  });

  it('stores no number in a single write on a master that took over without the transaction', async () => {
    const store = await open();
    await store.lostWrites.mark(0);
    const keys: [string, string] = [sharedKeys.markTogether(0), sharedKeys.markAlone(0)];
    assert.equal(await store.connections.script('markAlone', keys, [2]), 0);
    assert.equal(await store.lostWrites.check(), 0);
    assert.equal(await admin.get(keys[1]), '1');
  });

  it('notices a loss also on a Redis that was at its memory limit', async function () {
    needsLoss(this);
    const store = await open();
    await admin.config('SET', 'maxmemory', '1');
    await store.lostWrites.mark(0);
    await admin.config('SET', 'maxmemory', '0');
    await restart();
    assert.equal(await until(() => store.lostWrites.check().catch(() => null)), 1);
  });

  it('reports what one master of a Cluster lost while another does not answer', async () => {
    const cluster = await redisCluster({ settings: { 'cluster-require-full-coverage': 'no' } });
    try {
      const store = await openStore({ url: cluster.url, instance: 'gateway-1', onDataLoss: ({ message }) => reported.push(message) });
      stores.push(store);
      const { commands } = store.connections;
      const [lost, silent] = numbersOfMasters(commands, sharedKeys.numbering) as [number, number];
      // As a load without the transaction leaves it.
      await commands.set(sharedKeys.markAlone(lost), '9');
      const address = masterOf(commands as Cluster, sharedKeys.numbering(silent));
      await cluster.masters.find(({ port }) => address === `127.0.0.1:${port}`)!.kill('SIGKILL');
      await until(() =>
        store.lostWrites.check().then(
          () => false,
          () => true,
        ),
      );
      assert.deepEqual([reported, store.connections.vitals.lostWrites], [[lostWritesText], 1]);
    } finally {
      await Promise.all(stores.splice(0).map((store) => store.close()));
      await cluster.stop();
    }
  });
});
