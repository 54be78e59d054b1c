import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { limits } from '@perch/schema';
import { until } from '@perch/testkit';
import type { SendResult } from '../src/index.js';
import { newId } from '../src/redis/ids.js';
import { accountKeys, robotKeys } from '../src/redis/keys.js';
import { closeStores, testStore } from './fixtures.js';
import { handedOn, mark, robotOf, url } from './hooked-robot.js';

describe('webhooks', () => {
  afterEach(closeStores);

  it('marks the robots that a webhook selects, including later ones, and no others', async () => {
    const store = await testStore();
    const account = newId('a');
    const [before, other] = [await robotOf(store, account), await robotOf(store, newId('a'))];
    const one = await store.webhooks.create(account, { url, robots: [before.robot] });
    const apart = await robotOf(store, account);
    assert.deepEqual([await mark(store, before.robot), await mark(store, other.robot)], ['0', null]);
    const noticed: string[] = [];
    store.webhookJobs.notice = (robot) => noticed.push(robot);
    await other.happen('pat');
    await before.happen('pat');
    assert.deepEqual(noticed, [before.robot], 'nobody asks for a job of what nobody wants');
    await store.webhooks.create(account, { url });
    const after = await robotOf(store, account);
    assert.deepEqual([await mark(store, apart.robot), await mark(store, after.robot)], ['0', '0']);
    for (const { id } of await store.webhooks.list(account)) assert.ok(await store.webhooks.remove(account, id));
    assert.equal(await store.webhooks.remove(account, one.id), false);
    await before.happen('pat');
    await store.webhookJobs.handOver(before.robot);
    assert.equal(await mark(store, before.robot), null, 'gone with the first event that nobody wants');
  });

  it('queues each later event that a webhook selects exactly once, also for concurrent workers', async () => {
    const [store, other] = [await testStore(), await testStore()];
    const account = newId('a');
    const { robot, happen } = await robotOf(store, account);
    await happen('pat');
    const happened = store.clock.now();
    await until(() => store.clock.now() > happened + 5);
    const [all, taps] = [await store.webhooks.create(account, { url }), await store.webhooks.create(account, { url, names: ['tap'] })];
    await happen('tap', 'pat');
    await happen('tap');
    await Promise.all([store, other, store].map((each) => each.webhookJobs.handOver(robot)));
    assert.deepEqual(await handedOn(store, account, all.id), ['tap 2', 'pat 3', 'tap 4']);
    assert.deepEqual(await handedOn(store, account, taps.id), ['tap 2', 'tap 4']);
    assert.equal(await mark(store, robot), '4');
    await happen('pat');
    await other.webhookJobs.handOver(robot);
    assert.equal((await handedOn(store, account, all.id)).length, 4);
  });

  it('queues later events for a webhook that is created while events are being queued', async () => {
    const store = await testStore();
    const account = newId('a');
    const { robot, happen } = await robotOf(store, account);
    await store.webhooks.create(account, { url });
    await happen('pat');
    const { events } = store;
    const read = events.read.bind(events);
    let made = '';
    events.read = async (...args) => {
      if (made === '') {
        made = (await store.webhooks.create(account, { url })).id;
        const now = store.clock.now();
        // The clocks of the instance and of Redis differ slightly.
        await until(() => store.clock.now() > now + 20);
        await happen('tap');
      }
      return read(...args);
    };
    await store.webhookJobs.handOver(robot);
    assert.equal(await mark(store, robot), '2');
    assert.ok((await handedOn(store, account, made)).includes('tap 2'));
  });

  it('marks no removed robot, and none for a disabled webhook', async () => {
    const store = await testStore();
    const account = newId('a');
    const [gone, here] = [await robotOf(store, account), await robotOf(store, account)];
    const webhook = await store.webhooks.create(account, { url, robots: [gone.robot, here.robot] });
    await store.robots.remove(account, gone.robot);
    await store.webhooks.disable(webhook, 'It wants no more.');
    await here.happen('pat');
    await store.webhookJobs.handOver(here.robot);
    await store.webhookJobs.checkAll();
    assert.equal(await mark(store, here.robot), null);
    await store.webhooks.enable({ ...webhook, disabled: 'It wants no more.' });
    assert.deepEqual([await mark(store, here.robot), await mark(store, gone.robot)], ['0', null]);
  });

  it('finds events whose notice or mark was lost with the scan of all robots', async () => {
    const store = await testStore();
    const account = newId('a');
    const { robot, happen } = await robotOf(store, account);
    await store.webhooks.create(account, { url });
    await happen('pat');
    await store.connections.commands.hdel(robotKeys.log(robot), 'hooked');
    await happen('pat');
    const noticed: string[] = [];
    store.webhookJobs.notice = (each) => noticed.push(each);
    await store.webhookJobs.checkAll();
    assert.deepEqual([await mark(store, robot), noticed.includes(robot)], ['0', true]);
  });

  it('drops the newest messages of a webhook with too many pending ones, and counts them', async () => {
    const store = await testStore();
    const account = newId('a');
    const webhook = await store.webhooks.create(account, { url });
    const messages = Array.from({ length: limits.webhooks.openMax + 2 }, (_, i) => store.deliveries.newDelivery(`msg_${i}`, 'r-1', { type: 'pat' }));
    const opened: unknown[] = [];
    // The embedded Redis on a busy machine takes seconds for all in one script.
    while (opened.length < messages.length)
      opened.push(...(await store.deliveries.addOpen(webhook, messages.slice(opened.length, opened.length + 50)))!);
    assert.deepEqual([opened.indexOf('full'), opened.filter((each) => each === 'full').length], [limits.webhooks.openMax, 2]);
    await store.deliveries.recordAttempt(webhook, { ...messages[0]!, status: 'delivered' });
    assert.deepEqual(await store.deliveries.addOpen(webhook, [messages[0]!, messages[1]!, messages.at(-1)!]), ['known', 'open', 'open']);
  });

  it('keeps the last completed messages, and nothing of a removed webhook', async () => {
    const store = await testStore();
    const account = newId('a');
    const webhook = await store.webhooks.create(account, { url });
    const kept = limits.webhooks.keptDeliveries;
    const messages = Array.from({ length: kept + 5 }, (_, i) =>
      store.deliveries.newDelivery(`msg_${String(i).padStart(3, '0')}`, 'r-1', { type: 'pat' }),
    );
    await store.deliveries.addOpen(webhook, messages);
    for (const message of messages) assert.ok(await store.deliveries.recordAttempt(webhook, { ...message, status: 'failed' }));
    assert.equal(await store.deliveries.recordAttempt(webhook, { ...messages[0]!, status: 'pending' }), false, 'what ended is not open again');
    const list = await store.deliveries.list(webhook);
    assert.deepEqual([list.length, list.some(({ id }) => id === 'msg_004'), list.some(({ id }) => id === 'msg_005')], [kept, false, true]);
    await store.webhooks.remove(account, webhook.id);
    assert.equal(await store.deliveries.addOpen(webhook, messages), null);
    assert.equal(await store.deliveries.recordAttempt(webhook, messages[9]!), false);
    await store.webhooks.disable(webhook, 'too late');
    assert.deepEqual(await store.webhooks.list(account), []);
    const { webhookDeliveries, webhookOpen, webhookEnded } = accountKeys;
    assert.equal(
      await store.connections.commands.exists(...[webhookDeliveries, webhookOpen, webhookEnded].map((key) => key(account, webhook.id))),
      0,
    );
  });

  it('retries webhooks that do not answer in time, within the share of each account in flight', async () => {
    const store = await testStore();
    const [busy, calm] = [newId('a'), newId('a')];
    const [slow, quick] = [await store.webhooks.create(busy, { url }), await store.webhooks.create(calm, { url })];
    const open = new Map<string, number>();
    let most = 0;
    let release = (): void => {};
    const held = new Promise<SendResult>((resolve) => (release = () => resolve({ status: 200, error: null })));
    const ids = new Map<string, number>();
    const worker = store.deliver({
      concurrency: 40,
      retriesMs: [10],
      handlers: {
        send(webhook, { id }) {
          // Messages that other tests left in the shared queue are sent as well.
          if (webhook.account !== calm && webhook.account !== busy) return Promise.resolve({ status: 204, error: null });
          ids.set(id, (ids.get(id) ?? 0) + 1);
          if (webhook.account === calm)
            return Promise.resolve(ids.get(id) === 1 ? { status: 500, error: 'It answered 500.' } : { status: 204, error: null });
          open.set(id, 1);
          most = Math.max(most, open.size);
          return held.finally(() => open.delete(id));
        },
        ended: () => {},
        leftOut: () => {},
      },
    });
    try {
      await worker.ready();
      const name = randomBytes(4).toString('hex');
      const many = Array.from({ length: 20 }, (_, i) => store.deliveries.newDelivery(`msg_${name}_${i}`, null, { type: 'test' }));
      await store.deliveries.addOpen(slow, many);
      for (const message of many) await store.webhookJobs.send(slow, message);
      await until(() => open.size > 0);
      const message = store.deliveries.newDelivery(`msg_${name}`, null, { type: 'test' });
      await store.deliveries.addOpen(quick, [message]);
      await store.webhookJobs.send(quick, message);
      await until(async () => (await store.deliveries.get(quick, message.id))?.status === 'delivered');
      assert.equal((await store.deliveries.get(quick, message.id))?.attempts, 2);
      release();
      await until(async () => (await store.deliveries.list(slow)).every(({ status }) => status === 'delivered'));
      assert.ok(most <= 8, `${most} of one account at a time`);
      assert.ok(many.every(({ id }) => ids.get(id) === 1));
    } finally {
      release();
      await worker.close();
    }
  });

  it('keeps a message that a later release wrote for an instance that can read it', async () => {
    const store = await testStore();
    const webhook = await store.webhooks.create(newId('a'), { url });
    const sent: string[] = [];
    const worker = store.deliver({
      concurrency: 1,
      retriesMs: [],
      handlers: {
        send(_webhook, { id }) {
          sent.push(id);
          return Promise.resolve({ status: 204, error: null });
        },
        ended: () => {},
        leftOut: () => {},
      },
    });
    try {
      await worker.ready();
      const message = store.deliveries.newDelivery(`msg_${randomBytes(4).toString('hex')}`, null, { type: 'test' });
      await store.deliveries.addOpen(webhook, [message]);
      const write = (record: object) =>
        store.connections.commands.hset(accountKeys.webhookDeliveries(webhook.account, webhook.id), message.id, JSON.stringify(record));
      await write({ ...message, v: 99 });
      const unreadable = store.connections.forms.unreadable;
      await store.webhookJobs.send(webhook, message);
      await until(() => (unreadable.get('delivery') ?? 0) > 0);
      await write(message);
      await until(() => sent.includes(message.id), { what: 'the job to be taken again' });
    } finally {
      await worker.close();
    }
  });
});
