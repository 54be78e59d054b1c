import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { ApiError, limits, type EventName } from '@perch/schema';
import { until } from '@perch/testkit';
import type { SendResult, Store } from '../src/index.js';
import { newId } from '../src/ids.js';
import { accountKeys, robotKeys, sharedKeys } from '../src/keys.js';
import type { Connections } from '../src/redis/connections.js';
import { RobotIds } from '../src/robots/robot-ids.js';
import { SliceQueue } from '../src/jobs/slice-queue.js';
import { Webhooks } from '../src/webhooks/webhooks.js';
import { closeStores, held, testStore } from './fixtures.js';

async function robotOf(store: Store, account: string): Promise<{ robot: string; happen: (...names: EventName[]) => Promise<number> }> {
  const { robot, token } = await store.robots.create({ account });
  const record = await store.robots.byToken(token);
  const { session } = await held(store, robot, { tokenHash: record!.tokenHash! });
  let inSeq = 0;
  return {
    robot,
    async happen(...names) {
      const events = names.map((name) => ({ name, data: {} }));
      const appended = await store.events.append(robot, { session, bootId: 'boot1', inSeq: ++inSeq, events });
      assert.ok(appended.appended);
      return appended.lastSeq;
    },
  };
}

const url = 'https://example.com/';
const mark = (store: Store, robot: string) => store.connections.commands.hget(robotKeys.log(robot), 'hooked');

async function handedOn(store: Store, account: string, webhook: string): Promise<string[]> {
  return (await store.deliveries.list({ account, id: webhook }))
    .map(({ payload }) => `${String(payload['type'])} ${(payload['data'] as { seq: number }).seq}`)
    .toReversed();
}

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
    const opened = (await store.deliveries.addOpen(webhook, messages))!;
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

  it('refuses webhooks beyond the limit of an account', async () => {
    const store = await testStore();
    const account = newId('a');
    const made = await Promise.allSettled(Array.from({ length: limits.webhooks.perAccount + 3 }, () => store.webhooks.create(account, { url })));
    const refused = made.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
    assert.equal(refused.length, 3);
    assert.ok(refused.every((error) => error instanceof ApiError && error.field === 'url'));
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
      await until(async () => (await store.deliveries.get(quick, message.id))?.status === 'delivered', { timeoutMs: 15_000 });
      assert.equal((await store.deliveries.get(quick, message.id))?.attempts, 2);
      release();
      await until(async () => (await store.deliveries.list(slow)).every(({ status }) => status === 'delivered'), { timeoutMs: 15_000 });
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
      await until(() => sent.includes(message.id), { timeoutMs: 15_000, what: 'the job to be taken again' });
    } finally {
      await worker.close();
    }
  });
});
