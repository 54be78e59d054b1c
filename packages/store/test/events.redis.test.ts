import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { needsRealRedis, redisUrl, until } from '@perch/testkit';
import { robotKeys } from '../src/redis/keys.js';
import type { Store } from '../src/index.js';
import { closeStores, held, mastersOf, testAdmin, testRobot, testStore } from './fixtures.js';

const shaken = [{ name: 'shaken' as const, data: {} }];

async function appended(store: Store, robot: string, session: string, inSeq: number | null): Promise<number> {
  for (;;) {
    const result = await store.events.append(robot, { session, bootId: 'boot1', inSeq, events: shaken });
    if (result.appended) return result.lastSeq;
    assert.equal(result.why, 'busy');
  }
}

describe('events', () => {
  afterEach(closeStores);

  it('numbers events from 1 and returns them as they were appended', async () => {
    const store = await testStore();
    const robot = await testRobot(store);
    const { session } = await held(store, robot);
    await store.events.append(robot, { session, bootId: 'boot1', inSeq: 1, events: [{ name: 'tap', data: { x: 1, y: 2 } }, ...shaken] });
    const page = await store.events.read(robot, {});
    assert.deepEqual(
      page.events.map(({ seq, name, data }) => ({ seq, name, data })),
      [
        { seq: 1, name: 'tap', data: { x: 1, y: 2 } },
        { seq: 2, name: 'shaken', data: {} },
      ],
    );
    assert.ok(Math.abs(Date.parse(page.events[0]!.at) - store.clock.now()) < 5000);
    assert.equal(page.lastSeq, 2);
    assert.equal(page.firstSeq, 1);
  });

  it('ignores an input that was stored before, on any instance', async () => {
    const [one, two] = [await testStore(), await testStore()];
    const robot = await testRobot(one);
    const first = await held(one, robot);
    await appended(one, robot, first.session, 4);
    const second = await held(two, robot, { dial: 2 });
    assert.deepEqual(await two.events.append(robot, { session: second.session, bootId: 'boot1', inSeq: 4, events: shaken }), {
      appended: false,
      why: 'old',
    });
    assert.equal(await appended(two, robot, second.session, 5), 2);
  });

  it('keeps the last 1,000 events and shows the gap with first_seq', async () => {
    const store = await testStore();
    const robot = await testRobot(store);
    const { session } = await held(store, robot);
    await store.connections.commands.hset(robotKeys.record(robot), 'created_at', 0);
    for (let batch = 0; batch < 21; batch++) {
      await store.connections.commands.hset(robotKeys.log(robot), 'second', '0');
      const result = await store.events.append(robot, {
        session,
        bootId: 'boot1',
        inSeq: null,
        events: Array.from({ length: 50 }, () => shaken[0]!),
      });
      assert.ok(result.appended);
    }
    const page = await store.events.read(robot, {});
    assert.equal(page.events.length, 1000);
    assert.equal(page.firstSeq, 51);
    assert.equal(page.lastSeq, 1050);
    assert.deepEqual(
      (await store.events.read(robot, { limit: 20, newest: true })).events.map((event) => event.seq),
      Array.from({ length: 20 }, (_, i) => 1031 + i),
    );
  });

  it('refuses more than 50 events in a second as busy and stores none of them', async () => {
    const store = await testStore();
    const robot = await testRobot(store);
    const { session } = await held(store, robot);
    const result = await store.events.append(robot, { session, bootId: 'boot1', inSeq: 9, events: Array.from({ length: 51 }, () => shaken[0]!) });
    assert.deepEqual(result, { appended: false, why: 'busy' });
    assert.equal((await store.events.read(robot, {})).lastSeq, 0);
    assert.equal(await appended(store, robot, session, 9), 1);
  });

  it('continues above all numbers that may have been assigned when another Redis process has an older copy', async () => {
    const store = await testStore();
    const robot = await testRobot(store);
    const { session } = await held(store, robot);
    await appended(store, robot, session, 1);
    // The robot is 60 s old: 50 events a second are little more than 3,000. The older copy has 1 event and another run id.
    await store.connections.commands.hset(robotKeys.log(robot), { run_id: 'another', seq: 1 });
    const seq = await appended(store, robot, session, 2);
    assert.ok(seq > 3000, `${seq}`);
    const page = await store.events.read(robot, { after: 1 });
    assert.deepEqual([page.events[0]!.seq, page.jumpedTo], [seq, seq]);
  });

  it('jumps on another Redis process also when its copy is older than the first event', async () => {
    const store = await testStore();
    const { account } = await store.accounts.create({ email: `${Math.random()}@example.com` });
    const { robot, token } = await store.robots.create({ account });
    const tokenHash = createHash('sha256').update(token).digest('hex');
    const { commands } = store.connections;
    assert.ok(Math.abs((await store.robots.get(robot))!.createdAt - store.clock.now()) < 5000);
    // Created on the previous Redis, which has assigned numbers that are missing in this copy.
    await commands.hset(robotKeys.record(robot), { run_id: 'another', created_at: Math.round(store.clock.now()) - 60_000 });
    const { session } = await held(store, robot, { tokenHash });
    assert.ok((await appended(store, robot, session, 1)) > 3000);
  });

  it('returns nothing for a read after a number above the highest', async () => {
    const store = await testStore();
    const robot = await testRobot(store);
    const { session } = await held(store, robot);
    await appended(store, robot, session, 1);
    const page = await store.events.read(robot, { after: 99 });
    assert.deepEqual([page.events, page.lastSeq, page.firstSeq], [[], 1, 1]);
  });

  it('notifies a subscriber with the number of each event', async () => {
    const [writer, reader] = [await testStore(), await testStore()];
    const robot = await testRobot(writer);
    const { session } = await held(writer, robot);
    const woken: (number | null)[] = [];
    const leave = await reader.events.subscribe(robot, (seq) => woken.push(seq));
    await appended(writer, robot, session, 1);
    await until(() => woken.length === 1);
    assert.deepEqual(woken, [1]);
    leave();
    assert.equal(reader.connections.subscriber.size, 0);
  });

  it('renews a lost subscription and notifies its listeners to read again', async function () {
    needsRealRedis(this, await redisUrl(), 'CLIENT KILL TYPE');
    const [writer, reader] = [await testStore(), await testStore()];
    const robot = await testRobot(writer);
    const { session } = await held(writer, robot);
    const woken: (number | null)[] = [];
    await reader.events.subscribe(robot, (seq) => woken.push(seq));
    await Promise.all(mastersOf(await testAdmin()).map((master) => master.call('CLIENT', 'KILL', 'TYPE', 'pubsub')));
    await until(() => woken.includes(null));
    const seq = await appended(writer, robot, session, 1);
    await until(() => woken.includes(seq));
  });

  it('truncates the longest text of data over 1 KB', async () => {
    const store = await testStore();
    const robot = await testRobot(store);
    const { session } = await held(store, robot);
    await store.events.append(robot, {
      session,
      bootId: 'boot1',
      inSeq: 1,
      events: [{ name: 'tag', data: { uid: '04aa', type: 'NTAG215', text: 'ä'.repeat(5000) } }],
    });
    const data = (await store.events.read(robot, {})).events[0]!.data as { uid: string; text: string };
    assert.equal(data.uid, '04aa');
    assert.ok(data.text.length > 300 && Buffer.byteLength(JSON.stringify(data)) <= 1024);
  });
});
