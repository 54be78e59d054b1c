import assert from 'node:assert/strict';
import { ApiError, limits } from '@perch/schema';
import { until } from '@perch/testkit';
import { newId } from '../src/redis/ids.js';
import { accountKeys, sharedKeys } from '../src/redis/keys.js';
import type { Connections } from '../src/redis/connections.js';
import { RobotIds } from '../src/robots/robot-ids.js';
import { SliceQueue } from '../src/redis/slice-queue.js';
import { Webhooks } from '../src/webhooks/webhooks.js';
import { closeStores, testStore } from './fixtures.js';
import { handedOn, robotOf, url } from './hooked-robot.js';

describe('webhooks', () => {
  afterEach(closeStores);

  it('creates and removes webhooks durably: waits until the account and the list of accounts with webhooks are on disk', async () => {
    const store = await testStore();
    const account = newId('a');
    const onDisk: string[][] = [];
    const watched: Connections = {
      ...store.connections,
      durably: (keys, work) => {
        onDisk.push([...keys]);
        return store.connections.durably(keys, work);
      },
    };
    const slices = new SliceQueue();
    const webhooks = new Webhooks({ redis: watched, clock: store.clock, storage: store.storage, robotIds: new RobotIds(watched, slices), slices });
    const { id } = await webhooks.create(account, { url });
    assert.deepEqual(onDisk.splice(0), [[accountKeys.webhooks(account), sharedKeys.hookedAccounts()]]);
    assert.equal(await webhooks.remove(account, id), true);
    assert.deepEqual(onDisk, [[accountKeys.webhooks(account)]]);
    assert.deepEqual(await webhooks.list(account), []);
  });

  it('changes what is given, and hands over events of added robots from the change on, without those from before', async () => {
    const store = await testStore();
    const account = newId('a');
    const [first, added] = [await robotOf(store, account), await robotOf(store, account)];
    const { id } = await store.webhooks.create(account, { url, robots: [first.robot], names: ['pat'] });
    await added.happen('pat');
    const changed = await store.webhooks.change(account, id, { robots: null, url: 'https://example.org/' });
    assert.deepEqual([changed?.robots, changed?.names, changed?.url, changed?.disabled], [null, ['pat'], 'https://example.org/', null]);
    assert.deepEqual(await store.webhooks.get(account, id), changed);
    await added.happen('pat', 'tap');
    await store.webhookJobs.handOver(added.robot);
    assert.deepEqual(await handedOn(store, account, id), ['pat 2']);
    assert.equal(await store.webhooks.change(newId('a'), id, { names: null }), null);
  });

  it('pauses and resumes: hands over nothing from between, and neither a 410 nor a delivered test from before resumes or disables it', async () => {
    const store = await testStore();
    const account = newId('a');
    const { robot, happen } = await robotOf(store, account);
    const created = await store.webhooks.create(account, { url });
    await store.webhooks.change(account, created.id, { paused: true });
    await store.webhooks.enable(created);
    await store.webhooks.disable(created, 'The address answered 410 (Gone).');
    const paused = (await store.webhooks.get(account, created.id))!;
    assert.deepEqual([paused.paused, paused.disabled], [true, 'Paused by its owner.']);
    await happen('pat');
    await store.webhookJobs.handOver(robot);
    const happened = store.clock.now();
    await until(() => store.clock.now() > happened + 5);
    const resumed = await store.webhooks.change(account, created.id, { paused: false });
    assert.deepEqual([resumed?.paused, resumed?.disabled], [undefined, null]);
    await happen('pat');
    await store.webhookJobs.handOver(robot);
    assert.deepEqual(await handedOn(store, account, created.id), ['pat 2']);
    await store.webhooks.disable(resumed!, 'The address answered 410 (Gone).');
    assert.equal((await store.webhooks.change(account, created.id, { paused: false }))?.disabled, null);
  });

  it('keeps every one of several concurrent changes, and the attempt that ends meanwhile does not undo them', async () => {
    const store = await testStore();
    const account = newId('a');
    const created = await store.webhooks.create(account, { url });
    const rolls = Array.from({ length: 5 }, () => store.webhooks.rollSecret(account, created.id, 60_000));
    await Promise.all([...rolls, store.webhooks.change(account, created.id, { names: ['tap'] }), store.webhooks.disable(created, 'Gone.')]);
    const now = (await store.webhooks.get(account, created.id))!;
    const secrets = (await Promise.all(rolls)).map((record) => record!.secret);
    assert.deepEqual([now.names, now.disabled, secrets.includes(now.secret), secrets.includes(now.former!.secret)], [['tap'], 'Gone.', true, true]);
    await store.webhooks.change(account, created.id, { url: 'https://example.org/', paused: false });
    await store.webhooks.disable(created, 'The former URL answered 410.');
    assert.equal((await store.webhooks.get(account, created.id))?.disabled, null);
    await store.webhooks.remove(account, created.id);
    assert.equal(await store.webhooks.rollSecret(account, created.id, 0), null);
    assert.deepEqual(await store.webhooks.list(account), [], 'a change does not recreate it');
  });

  it('replaces the secret, with the former one kept for the overlap and dropped without one', async () => {
    const store = await testStore();
    const account = newId('a');
    const { id, secret } = await store.webhooks.create(account, { url });
    const rolled = (await store.webhooks.rollSecret(account, id, 60_000))!;
    assert.match(rolled.secret, /^whsec_/);
    assert.notEqual(rolled.secret, secret);
    assert.equal(rolled.former?.secret, secret);
    assert.ok(Math.abs(rolled.former!.until - store.clock.now() - 60_000) < 20_000);
    assert.equal((await store.webhooks.rollSecret(account, id, 0))?.former, undefined);
  });

  it('refuses webhooks beyond the limit of an account', async () => {
    const store = await testStore();
    const account = newId('a');
    const made = await Promise.allSettled(Array.from({ length: limits.webhooks.perAccount + 3 }, () => store.webhooks.create(account, { url })));
    const refused = made.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
    assert.equal(refused.length, 3);
    assert.ok(refused.every((error) => error instanceof ApiError && error.field === 'url'));
  });
});
