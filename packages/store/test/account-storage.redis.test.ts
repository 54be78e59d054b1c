import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { redisAt, redisUrl } from '@perch/testkit';
import { newId } from '../src/redis/ids.js';
import { openStore, type Store } from '../src/index.js';
import { accountKeys, robotKeys } from '../src/redis/keys.js';
import { hello } from './fixtures.js';

const url = 'https://example.com/';

describe("an account's storage, with a quota of 1 MB", () => {
  let store: Store;
  let other: Store;
  before(async () => {
    const redis = await redisUrl();
    const open = () => openStore({ ...redisAt(redis), instance: `test-${randomUUID().slice(0, 8)}`, accountStorageMb: 1 });
    [store, other] = [await open(), await open()];
  });
  after(() => Promise.all([store?.close(), other?.close()]));

  const newAccount = async (): Promise<string> => (await store.accounts.create({ email: `${randomUUID()}@example.org` })).account;

  async function robotOf(account: string) {
    const { robot, token } = await store.robots.create({ account });
    // Created an hour ago, so that the limit of events per second does not apply.
    await store.connections.commands.hset(robotKeys.record(robot), { created_at: Math.round(store.clock.now()) - 3_600_000 });
    const { session } = hello({ session: `s-${robot}`, tokenHash: (await store.robots.byToken(token))!.tokenHash! });
    await store.leases.take(robot, { ...hello({ session }), tokenHash: (await store.robots.byToken(token))!.tokenHash! });
    let inSeq = 0;
    return {
      robot,
      async happen(count: number, text = 'x') {
        await store.connections.commands.hdel(robotKeys.log(robot), 'second');
        const events = Array.from({ length: count }, () => ({ name: 'tag' as const, data: { text } }));
        return store.events.append(robot, { session, bootId: 'boot1', inSeq: ++inSeq, events });
      },
      bytes: async () => Number(await store.connections.commands.hget(robotKeys.log(robot), 'bytes')),
    };
  }

  /** Fills the account, and lets both instances learn it with their next report. */
  async function fill(account: string): Promise<void> {
    for (const each of [store, other]) {
      each.storage.note(account, 'calls:r-other', 2 * 2 ** 20, 60_000);
      await each.storage.report();
      // Also waits for a report that the heartbeat has started before.
      await each.storage.total(account);
      assert.ok(each.storage.isFull(account));
    }
  }

  it('counts the bytes of a log of events exactly, also after the oldest were dropped, and adds them to the account', async () => {
    const account = await newAccount();
    const { robot, happen, bytes } = await robotOf(account);
    for (let n = 0; n < 24; n++) assert.ok((await happen(50, 'x'.repeat(10 + n))).appended);
    const entries = await store.connections.commands.xrange(robotKeys.events(robot), '-', '+');
    assert.equal(entries.length, 1000);
    const held = entries.reduce((sum, [, fields]) => sum + 64 + fields[1]!.length + fields[3]!.length, 0);
    assert.equal(await bytes(), held);
    await store.storage.report();
    assert.ok(Math.abs((await other.storage.total(account)) - held) <= 16 * 1024);
    await store.robots.remove(account, robot);
    assert.equal(await other.storage.total(account), 0);
  });

  it('counts the bytes of a log that was written before bytes were counted', async () => {
    const { robot, happen, bytes } = await robotOf(await newAccount());
    await happen(10, 'abc');
    const before = await bytes();
    await store.connections.commands.hdel(robotKeys.log(robot), 'bytes');
    await happen(1, 'abc');
    assert.equal(await bytes(), (before / 10) * 11);
  });

  it('refuses new idempotency records and webhooks of a full account with the reason, and still answers existing records', async () => {
    const account = await newAccount();
    const { robot } = await robotOf(account);
    const claim = { fingerprint: 'f', claim: 'c1', gateway: 'gw' };
    assert.equal((await store.calls.begin(robot, 'one', claim, account)).state, 'begun');
    await fill(account);
    await assert.rejects(store.calls.begin(robot, 'two', claim, account), {
      kind: 'full',
      message: /has stored 1 MB, its quota: events, labels of robots, answers of calls/,
    });
    await assert.rejects(other.calls.begin(robot, 'three', claim, account), { kind: 'full' });
    assert.equal((await store.calls.begin(robot, 'one', { ...claim, claim: 'c2' }, account)).state, 'running');
    await assert.rejects(store.webhooks.create(account, { url }), { kind: 'full' });
    assert.equal((await store.calls.begin(robot, 'two', claim, newId('a'))).state, 'begun', 'another account is not affected');
  });

  it('accepts new records again once a report shows that the account is below its quota', async () => {
    const account = await newAccount();
    const { robot } = await robotOf(account);
    await fill(account);
    store.storage.note(account, 'calls:r-other', 0);
    await store.storage.report();
    await store.storage.total(account);
    assert.equal((await store.calls.begin(robot, 'one', { fingerprint: 'f', claim: 'c', gateway: 'gw' }, account)).state, 'begun');
  });

  it('queues no webhook messages beyond the quota and reports them as dropped', async () => {
    const account = await newAccount();
    const webhook = await store.webhooks.create(account, { url });
    const message = (id: string) => store.deliveries.newDelivery(id, null, { type: 'test', data: 'x'.repeat(1000) });
    assert.deepEqual(await store.deliveries.addOpen(webhook, [message('m1')]), ['open']);
    const held = await store.storage.total(account);
    assert.ok(held > 1000 && held < 2000, String(held));
    await store.deliveries.recordAttempt(webhook, { ...message('m1'), status: 'delivered', attempts: 1 });
    assert.ok(Math.abs((await store.storage.total(account)) - held) < 100);
    await fill(account);
    assert.deepEqual(await store.deliveries.addOpen(webhook, [message('m2')]), ['full']);
    assert.equal(await store.webhooks.remove(account, webhook.id), true);
    assert.equal(await store.connections.commands.hexists(accountKeys.stored(account), `webhook:${webhook.id}`), 0);
  });

  it('never refuses an event of a full account, and drops the oldest events of the robot beyond its share', async () => {
    const account = await newAccount();
    const [first, second] = [await robotOf(account), await robotOf(account)];
    for (let n = 0; n < 16; n++) for (const each of [first, second]) assert.ok((await each.happen(50, 'x'.repeat(800))).appended);
    await store.storage.report();
    // Two logs of 0.7 MB, unless a heartbeat reported meanwhile that they exceed 1 MB: then each was cut to its share.
    assert.ok((await store.storage.total(account)) > 0.9 * 2 ** 20);
    await fill(account);
    const appended = await first.happen(1, 'newest');
    assert.ok(appended.appended);
    assert.ok((await first.bytes()) <= 2 ** 19, String(await first.bytes()));
    const page = await store.events.read(first.robot, { after: 0, limit: 1000 });
    assert.ok(page.firstSeq! > 1, 'readers see the gap');
    assert.deepEqual([page.events.at(-1)!.seq, page.events.at(-1)!.data], [appended.lastSeq, { text: 'newest' }]);
  });
});
