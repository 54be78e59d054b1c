import assert from 'node:assert/strict';
import type { WaitRecord } from '@perch/schema';
import { until } from '@perch/testkit';
import type { QueueEntry, Store, Taken } from '../src/index.js';
import { robotKeys } from '../src/redis/keys.js';
import { closeStores, testRobot, testStore } from './fixtures.js';

const card: QueueEntry = {
  action: 'show',
  args: { text: 'Hello' },
  account: 'a-0000000000',
  keyHash: 'hash',
  guest: null,
  requestId: 'q',
  via: 'http',
  holder: '',
  showMs: 10_000,
};

interface Added {
  number: number;
  place: number | 'full' | null;
}

async function add(store: Store, robot: string, { priority = 0, expiresMs = 60_000, question = false } = {}): Promise<Added> {
  const number = (await store.waits.number(robot)) ?? assert.fail();
  const record: WaitRecord = {
    number,
    kind: 'ask',
    targets: [],
    picture: null,
    timeoutMs: 30_000,
    gateway: 'gw',
    call: 'c',
    requestId: 'q',
  };
  const asked = { record, detached: { account: card.account, choices: [{ label: 'Yes' }], queuedAs: number } };
  const entry: QueueEntry = question ? { ...card, action: 'ask' } : card;
  return { number, place: await store.queue.add(robot, number, { entry, priority, expiresMs, question: question ? asked : null }) };
}

async function take(store: Store, robot: string, priorityMin: number | null = 0): Promise<Taken | null> {
  const turn = await store.queue.take(robot, priorityMin);
  return turn !== 'empty' && 'taken' in turn ? turn.taken : null;
}

/** Lets time pass for what a gateway has taken. */
async function lapse(store: Store, robot: string): Promise<void> {
  await store.connections.commands.hset(robotKeys.queueEntries(robot), 'taken_until', '1');
}

async function free(store: Store, robot: string): Promise<void> {
  await store.connections.commands.hdel(robotKeys.queueEntries(robot), 'free_at');
}

describe('the queue of a robot', () => {
  afterEach(closeStores);

  it('gives entries by priority and then by arrival, each with its place', async () => {
    const store = await testStore();
    const robot = await testRobot(store);
    const added = [
      await add(store, robot),
      await add(store, robot, { priority: 9 }),
      await add(store, robot),
      await add(store, robot, { priority: 5 }),
    ];
    assert.deepEqual(
      added.map(({ place }) => place),
      [1, 1, 3, 2],
    );
    const order: number[] = [];
    for (let i = 0; i < 4; i++) {
      const taken = (await take(store, robot)) ?? assert.fail();
      assert.deepEqual([taken.entry, taken.again], [card, false]);
      order.push(taken.number);
      assert.ok(await store.queue.step(taken, { step: 'shown', ms: 10_000 }));
      assert.equal(await take(store, robot), null, 'the card has time left');
      await free(store, robot);
    }
    assert.deepEqual(
      order,
      [1, 3, 0, 2].map((i) => added[i]!.number),
    );
    assert.equal(await store.queue.take(robot, 0), 'empty');
  });

  it('gives the next entry at once when the card that shows is taken away', async () => {
    const store = await testStore();
    const robot = await testRobot(store);
    await add(store, robot);
    const { number: second } = await add(store, robot);
    const first = (await take(store, robot)) ?? assert.fail();
    await store.queue.step(first, { step: 'shown', ms: 3_600_000 });
    assert.equal(await take(store, robot), null);
    await store.queue.cleared(robot);
    assert.equal((await take(store, robot))?.number, second);
    const empty = await testRobot(store);
    await store.queue.cleared(empty);
    assert.equal(await store.queue.take(empty, 0), 'empty');
  });

  it('gives the next entry to one of many gateways', async () => {
    const stores = [await testStore(), await testStore()];
    const robot = await testRobot(stores[0]!);
    await add(stores[0]!, robot);
    await add(stores[0]!, robot);
    const taken = await Promise.all(Array.from({ length: 20 }, (_, i) => take(stores[i % 2]!, robot)));
    assert.equal(taken.filter((each) => each !== null).length, 1);
  });

  it('takes at most 20 entries, and more once some have expired', async () => {
    const store = await testStore();
    const robot = await testRobot(store);
    const places = (await Promise.all(Array.from({ length: 25 }, () => add(store, robot)))).map(({ place }) => place);
    assert.equal(places.filter((place) => place === 'full').length, 5);
    assert.equal(Math.max(...places.map(Number).filter(Number.isFinite)), 20);
    for (const number of (await store.connections.commands.zrange(robotKeys.queue(robot), '0', '9')).map(String))
      await store.connections.commands.hset(robotKeys.queueEntries(robot), `until:${number}`, '1');
    assert.equal((await add(store, robot)).place, 11);
    await store.robots.remove((await store.robots.get(robot))!.account, robot);
    const number = 1;
    assert.equal(await store.queue.add(robot, number, { entry: card, priority: 0, expiresMs: 1000, question: null }), null);
    assert.equal(await store.connections.commands.exists(robotKeys.queue(robot), robotKeys.queueEntries(robot)), 0);
  });

  it('gives nothing while a question is open, whatever its priority, and nothing below the lowest priority', async () => {
    const store = await testStore();
    const robot = await testRobot(store);
    const { number } = await add(store, robot, { priority: 8, question: true });
    assert.equal(await take(store, robot, 9), null);
    const { number: urgent } = await add(store, robot, { priority: 9 });
    const open: WaitRecord = { ...(await store.waits.read(robot, number))!.record, number: (await store.waits.number(robot))! };
    await store.waits.open(robot, open);
    assert.equal(await take(store, robot, 9), null);
    await store.waits.settle(robot, open.number, { outcome: 'timed_out' }, null);
    assert.equal((await take(store, robot, 9))?.number, urgent);
  });

  it('gives nothing while a question outside the queue is being drawn, so that the newer number of an entry does not replace it', async () => {
    const store = await testStore();
    const robot = await testRobot(store);
    const { number } = await add(store, robot, { priority: 9, question: true });
    const asked = (await store.leases.findNumbered(robot))!.number;
    assert.equal(await take(store, robot), null);
    assert.ok(await store.waits.open(robot, { ...(await store.waits.read(robot, number))!.record, number: asked }));
    await store.waits.settle(robot, asked, { outcome: 'timed_out' }, null);
    assert.equal((await take(store, robot))?.number, number);
    const other = await testRobot(store);
    const { number: next } = await add(store, other);
    const one = (await store.leases.findNumbered(other))!.number;
    const two = (await store.leases.findNumbered(other))!.number;
    await store.waits.dropped(other, two);
    assert.equal(await take(store, other), null, 'the first is still being drawn');
    await store.waits.dropped(other, one);
    assert.equal((await take(store, other))?.number, next);
  });

  it('a question is read as queued, then under the number that it opened with, and its end has the id that its program knows', async () => {
    const store = await testStore();
    const robot = await testRobot(store);
    const { number } = await add(store, robot, { question: true });
    assert.deepEqual([(await store.waits.read(robot, number))?.queued, await store.queue.place(robot, number)], [true, 1]);
    const taken = (await take(store, robot)) ?? assert.fail();
    assert.ok(taken.as > number);
    assert.equal((await store.waits.read(robot, number))?.queued, true, 'not open yet');
    const { record, detached } = (await store.waits.read(robot, number))!;
    await store.waits.open(robot, { ...record, number: taken.as });
    const opened = await store.waits.read(robot, number);
    assert.deepEqual([opened?.queued, opened?.record.number, opened?.detached], [undefined, taken.as, detached]);
    assert.ok(await store.detachedWaits.detach(robot, opened!.record, detached!));
    assert.ok(await store.queue.step(taken, { step: 'asked', timeoutMs: 30_000 }));
    await store.waits.settle(robot, taken.as, { outcome: 'answered', index: 0, x: 1, y: 2 }, null);
    assert.equal((await store.waits.read(robot, number))?.outcome?.outcome, 'answered');
    await store.detachedWaits.settled();
    const { events } = await store.events.read(robot, {});
    assert.deepEqual(
      events.map(({ data }) => data),
      [{ wait: `wt-${robot.slice(2)}-${number.toString(36)}`, action: 'ask', outcome: 'answered', answer: 'Yes', index: 0 }],
    );
    await store.waits.forget(robot, taken.as);
    assert.equal(await store.waits.read(robot, number), null, 'as long as the wait');
  });

  it('removes what expired, whose questions end as timed out, also while nothing may be taken', async () => {
    const store = await testStore();
    const robot = await testRobot(store);
    const { number } = await add(store, robot, { question: true, expiresMs: 1 });
    await add(store, robot, { expiresMs: 1 });
    await until(async () => (await store.queue.take(robot, null)) === 'empty');
    const { outcome, queued } = (await store.waits.read(robot, number))!;
    assert.deepEqual([outcome, queued], [{ outcome: 'timed_out' }, true]);
    await store.detachedWaits.settled();
    assert.equal((await store.events.read(robot, {})).events.length, 1);
  });

  it('gives an entry to another gateway when the one that took it did not finish, except a card that may have been sent', async () => {
    const store = await testStore();
    const robot = await testRobot(store);
    await add(store, robot);
    const { number: second } = await add(store, robot);
    const first = (await take(store, robot)) ?? assert.fail();
    assert.equal(await take(store, robot), null);
    await lapse(store, robot);
    assert.deepEqual(await take(store, robot), { ...first, again: true });
    assert.ok(await store.queue.step(first, { step: 'send' }));
    await lapse(store, robot);
    const next = (await take(store, robot)) ?? assert.fail();
    assert.deepEqual([next.number, next.again], [second, false]);
    assert.equal(await store.queue.step(first, { step: 'shown', ms: 1000 }), false);
    assert.ok(await store.queue.step(next, { step: 'back' }));
    assert.equal((await take(store, robot))?.number, second);
  });

  it('a stop empties it and ends its questions as replaced, and what was taken is not sent any more', async () => {
    const store = await testStore();
    const robot = await testRobot(store);
    await add(store, robot);
    const { number } = await add(store, robot, { question: true });
    const taken = (await take(store, robot)) ?? assert.fail();
    await store.waits.stop(robot);
    assert.equal(await store.queue.step(taken, { step: 'send' }), false);
    assert.equal(await store.queue.take(robot, 0), 'empty');
    assert.deepEqual((await store.waits.read(robot, number))?.outcome, { outcome: 'replaced' });
    await store.detachedWaits.settled();
    assert.equal((await store.events.read(robot, {})).events[0]?.data?.['outcome'], 'replaced');
  });

  it('a question that was taken away is not asked, also if a gateway has taken it', async () => {
    const store = await testStore();
    const robot = await testRobot(store);
    const [first, second] = [await add(store, robot, { question: true }), await add(store, robot, { question: true })];
    await store.waits.settle(robot, second.number, { outcome: 'cancelled' }, null);
    const taken = (await take(store, robot)) ?? assert.fail();
    await store.waits.settle(robot, first.number, { outcome: 'cancelled' }, null);
    assert.equal(await store.queue.step(taken, { step: 'asked', timeoutMs: 1000 }), false);
    assert.equal(await store.queue.take(robot, 0), 'empty');
  });

  it('robots with a queue are listed until it is empty', async () => {
    const store = await testStore();
    const robot = await testRobot(store);
    await add(store, robot);
    await until(async () => (await store.queue.due(1000)).includes(robot));
    const taken = (await take(store, robot)) ?? assert.fail();
    await store.queue.step(taken, { step: 'shown', ms: 1 });
    assert.equal(await store.queue.take(robot, 0), 'empty');
    assert.equal(await store.connections.commands.zscore('perch:{queued-robots}', robot), null);
  });
});
