import assert from 'node:assert/strict';
import type { WaitConsent, WaitOutcome, WaitRecord } from '@perch/schema';
import { skipTest, until } from '@perch/testkit';
import type { Store, WaitNews } from '../src/index.js';
import { robotKeys } from '../src/redis/keys.js';
import { closeStores, held, testRobot, testStore } from './fixtures.js';

const tap: WaitOutcome = { outcome: 'answered', index: 0, x: 1, y: 2 };

async function newWait(store: Store, robot: string): Promise<WaitRecord> {
  return {
    number: (await store.waits.number(robot)) ?? assert.fail(),
    kind: 'ask',
    targets: [],
    picture: null,
    timeoutMs: 30_000,
    gateway: 'gw',
    call: 'c',
    requestId: 'q',
  };
}

describe('waits', () => {
  afterEach(closeStores);

  it('ends the open wait as replaced when another is opened, and notifies subscribers', async () => {
    const store = await testStore();
    const robot = await testRobot(store);
    const [older, newer] = [await newWait(store, robot), await newWait(store, robot)];
    assert.ok(await store.waits.open(robot, older));
    const woken: (number | null)[] = [];
    await store.waits.subscribe(robot, (number) => woken.push(number));
    assert.ok(await store.waits.open(robot, newer));
    await until(() => woken.includes(older.number));
    assert.deepEqual((await store.waits.read(robot, older.number))?.outcome, { outcome: 'replaced' });
    assert.equal((await store.waits.read(robot, newer.number))?.outcome, null);
  });

  it('publishes the message to the robot-link with a wait that opens, once it can be read, and with no other', async function () {
    const store = await testStore();
    if (!store.waits.canOpenWithMessage) skipTest(this, "on a Cluster the robot-link's channel lies on another node than the wait");
    const robot = await testRobot(store);
    const [older, unheard, heard] = [await newWait(store, robot), await newWait(store, robot), await newWait(store, robot)];
    const open = (record: WaitRecord, by: { name: string; claim: string } | null = null) =>
      store.waits.openWith(robot, record, by, null, store.linkMailbox.written('link-1', { t: 'wait', robot, session: 's', record }));
    assert.deepEqual(await open(unheard), { opened: true, receivers: 0 });
    const link = await testStore();
    const received: { number: number; wasStored: Promise<boolean> }[] = [];
    await link.linkMailbox.receive('link-1', (message) => {
      if (message.t !== 'wait') return;
      const { number } = message.record;
      received.push({ number, wasStored: link.waits.read(robot, number).then((state) => state !== null) });
    });
    assert.deepEqual(await open(older), { opened: false, receivers: 0 });
    assert.deepEqual(await open(heard, { name: 'n', claim: 'of another gateway' }), { opened: 'lost', receivers: 0 });
    assert.deepEqual(await open(heard), { opened: true, receivers: 1 });
    await until(() => received.length > 0);
    assert.deepEqual(
      received.map(({ number }) => number),
      [heard.number],
    );
    assert.equal(await received[0]!.wasStored, true);
  });

  it('notifies subscribers with what it stored, once for each wait that is armed or settled, and then with the number alone', async () => {
    const store = await testStore();
    const robot = await testRobot(store);
    const { session } = await held(store, robot);
    const wait = await newWait(store, robot);
    await store.waits.open(robot, wait);
    const heard: [number | null, WaitNews | null][] = [];
    const messages: string[] = [];
    await store.waits.subscribe(robot, (...all) => heard.push(all));
    await store.connections.subscriber.subscribe(robotKeys.waitsChannel(robot), (message) => messages.push(message ?? 'null'));
    const armed = await store.waits.arm(robot, session, wait, { bootId: 'b"1', ms: null, seq: 3 });
    await store.waits.settle(robot, wait.number, { outcome: 'failed', code: 'no_ack', error: 'It said "no".' }, session);
    const stopped = (await store.waits.stop(robot))!;
    await until(() => heard.length === 3);
    const { outcome, robotAway } = (await store.waits.read(robot, wait.number))!;
    assert.deepEqual(heard, [
      [wait.number, { armed }],
      [wait.number, { outcome, robotAway }],
      [stopped.number, null],
    ]);
    assert.equal(outcome?.outcome, 'failed');
    assert.deepEqual(
      messages.filter((message) => !message.includes(' ')),
      [`${wait.number}`, `${wait.number}`, `${stopped.number}`],
    );
  });

  it('has subscribers read the wait after a number alone, and after a message that this release cannot read', async () => {
    const store = await testStore();
    const robot = await testRobot(store);
    const heard: [number | null, WaitNews | null][] = [];
    await store.waits.subscribe(robot, (...all) => heard.push(all));
    const { connections } = store;
    for (const message of ['7', '8 {"armed":{}}', '8', '9 {"outcome":{"v":9},"ended":""}', '9', '10 {"armed":{"v":9}}', '10', '11 {', '11'])
      await connections.publish(robotKeys.waitsChannel(robot), message);
    await until(() => heard.length === 5);
    assert.deepEqual(
      heard,
      [7, 8, 9, 10, 11].map((number) => [number, null]),
    );
  });

  it('never opens a wait after one with a higher number', async () => {
    const store = await testStore();
    const robot = await testRobot(store);
    const [older, newer] = [await newWait(store, robot), await newWait(store, robot)];
    assert.ok(await store.waits.open(robot, newer));
    assert.equal(await store.waits.open(robot, older), false);
    assert.equal((await store.waits.read(robot, newer.number))?.outcome, null);
  });

  it('does not end the open wait when a number is assigned but not opened', async () => {
    const store = await testStore();
    const robot = await testRobot(store);
    const wait = await newWait(store, robot);
    await store.waits.open(robot, wait);
    await store.waits.number(robot);
    assert.equal((await store.waits.read(robot, wait.number))?.outcome, null);
  });

  it('ends the open wait as replaced on stop, and opens only waits whose number was assigned after it', async () => {
    const store = await testStore();
    const robot = await testRobot(store);
    const [open, drawing] = [await newWait(store, robot), await newWait(store, robot)];
    await store.waits.open(robot, open);
    const woken: (number | null)[] = [];
    await store.waits.subscribe(robot, (number) => woken.push(number));
    const stopped = await store.waits.stop(robot);
    assert.ok(stopped?.ended && stopped.number > drawing.number);
    await until(() => woken.includes(open.number));
    assert.deepEqual((await store.waits.read(robot, open.number))?.outcome, { outcome: 'replaced' });
    assert.equal(await store.waits.open(robot, drawing), false);
    assert.deepEqual(await store.waits.settle(robot, open.number, tap, null), { settled: false, why: 'late', outcome: { outcome: 'replaced' } });
    assert.equal((await store.waits.stop(robot))?.ended, false);
    assert.equal(await store.waits.open(robot, await newWait(store, robot)), true);
    assert.equal(await store.waits.stop('r-removed'), null);
  });

  it('keeps the number of the last stop, which is above all numbers before it and below those after it, and tells subscribers', async () => {
    const store = await testStore();
    const robot = await testRobot(store);
    assert.equal(await store.waits.lastStop(robot), 0);
    const before = (await store.waits.number(robot))!;
    assert.equal(await store.waits.lastStop(robot), 0);
    const woken: (number | null)[] = [];
    await store.waits.subscribe(robot, (number) => woken.push(number));
    const { number } = (await store.waits.stop(robot))!;
    assert.equal(await store.waits.lastStop(robot), number);
    const after = (await store.waits.number(robot))!;
    assert.ok(before < number && number < after);
    await until(() => woken.includes(number));
    await store.waits.open(robot, await newWait(store, robot));
    assert.equal(await store.waits.lastStop(robot), number);
  });

  it('keeps the answer when stop arrives after the tap', async () => {
    const store = await testStore();
    const robot = await testRobot(store);
    const wait = await newWait(store, robot);
    await store.waits.open(robot, wait);
    await store.waits.settle(robot, wait.number, tap, null);
    assert.equal((await store.waits.stop(robot))?.ended, false);
    assert.deepEqual((await store.waits.read(robot, wait.number))?.outcome, tap);
  });

  it('assigns no number to a removed robot, and writes no key', async () => {
    const store = await testStore();
    assert.equal(await store.waits.number('r-removed'), null);
    assert.equal(await store.connections.commands.exists('perch:{r-removed}:waits'), 0);
  });

  it('keeps the deadline of a wait that is armed again, and does not arm a settled one', async () => {
    const store = await testStore();
    const robot = await testRobot(store);
    const { session } = await held(store, robot);
    const wait = await newWait(store, robot);
    await store.waits.open(robot, wait);
    const first = await store.waits.arm(robot, session, wait, { bootId: 'boot1', ms: 10, seq: 3 });
    assert.ok(first && first !== 'lost');
    assert.ok(Math.abs(first.deadline - store.clock.now() - 30_000) < 1000);
    const again = await store.waits.arm(robot, session, wait, { bootId: 'boot2', ms: null, seq: 0 });
    assert.deepEqual(again, { bootId: 'boot2', ms: null, seq: 0, deadline: first.deadline });
    await store.waits.settle(robot, wait.number, { outcome: 'timed_out' }, session);
    assert.equal(await store.waits.arm(robot, session, wait, { bootId: 'boot1', ms: 11, seq: 3 }), null);
  });

  it('tells the robot-link to count touches late after a question that was replaced, or of another key that ended within 2 s', async () => {
    const store = await testStore();
    const asked = async (robot: string, session: string, consent: WaitConsent): Promise<{ wait: WaitRecord; countsAfterMs: number | undefined }> => {
      const wait = { ...(await newWait(store, robot)), consent };
      assert.equal(await store.waits.open(robot, wait), true);
      const armed = await store.waits.arm(robot, session, wait, { bootId: 'b', ms: 1, seq: 1 });
      assert.ok(armed !== null && armed !== 'lost');
      return { wait, countsAfterMs: armed.countsAfterMs };
    };
    const robot = await testRobot(store);
    const { session } = await held(store, robot);
    const one = await asked(robot, session, { by: 'one' });
    assert.equal(one.countsAfterMs, undefined, 'the first question of a robot');
    const replacing = await asked(robot, session, { by: 'one' });
    assert.equal(replacing.countsAfterMs, 1000, 'the question before was open');
    await store.waits.settle(robot, replacing.wait.number, tap, session);
    const next = await asked(robot, session, { by: 'one' });
    assert.equal(next.countsAfterMs, undefined, 'the question before was answered, and of the same key');
    await store.waits.settle(robot, next.wait.number, { outcome: 'cancelled' }, null);
    const others = await asked(robot, session, { by: 'two' });
    assert.equal(others.countsAfterMs, 1000, 'the question before was of another key');
    await store.waits.settle(robot, others.wait.number, tap, session);
    await store.connections.commands.hset(robotKeys.waitHead(robot), 'ended_at', store.clock.now() - 2001);
    const later = await asked(robot, session, { by: 'one' });
    assert.equal(later.countsAfterMs, undefined, 'the question before ended more than 2 s ago');
    await store.waits.stop(robot);
    const afterStop = await asked(robot, session, { by: 'one' });
    assert.equal(afterStop.countsAfterMs, 1000, 'a stop replaced the question before');
  });

  it('settles a wait with exactly one of tap, time-out, replacement and cancellation, in 2,000 rounds', async () => {
    const [link, gatewayOne, gatewayTwo] = [await testStore(), await testStore(), await testStore()];
    const robot = await testRobot(link);
    const { session } = await held(link, robot);
    const wins: Record<string, number> = {};
    for (let round = 1; round <= 2000; round++) {
      const wait = await newWait(gatewayOne, robot);
      assert.ok(await gatewayOne.waits.open(robot, wait));
      const newer = await newWait(gatewayTwo, robot);
      const contenders: (() => Promise<string | false>)[] = [
        async () => (await link.waits.settle(robot, wait.number, tap, session, { bootId: 'boot1', seq: round, safeSeq: round })).settled && 'tap',
        async () => (await link.waits.settle(robot, wait.number, { outcome: 'timed_out' }, session)).settled && 'time-out',
        async () => (await gatewayOne.waits.settle(robot, wait.number, { outcome: 'cancelled' }, null)).settled && 'hang-up',
        async () => (await gatewayTwo.waits.open(robot, newer), false),
      ];
      contenders.sort(() => Math.random() - 0.5);
      const winners = (await Promise.all(contenders.map((contend) => contend()))).filter((winner) => winner !== false);
      const outcome = (await link.waits.read(robot, wait.number))!.outcome!;
      if (outcome.outcome === 'replaced') winners.push('replaced');
      assert.equal(winners.length, 1, `round ${round}: ${winners.join()} and ${outcome.outcome}`);
      wins[winners[0]!] = (wins[winners[0]!] ?? 0) + 1;
    }
    assert.deepEqual(Object.keys(wins).sort(), ['hang-up', 'replaced', 'tap', 'time-out']);
  });

  it('settles a wait with a touch once; a resent touch is old and not stored as an event', async () => {
    const store = await testStore();
    const robot = await testRobot(store);
    const { session } = await held(store, robot);
    const wait = await newWait(store, robot);
    await store.waits.open(robot, wait);
    assert.deepEqual(await store.waits.settle(robot, wait.number, tap, session, { bootId: 'boot1', seq: 2, safeSeq: 2 }), { settled: true });
    assert.deepEqual(await store.waits.settle(robot, wait.number, tap, session, { bootId: 'boot1', seq: 2, safeSeq: 2 }), {
      settled: false,
      why: 'old',
    });
    assert.deepEqual(await store.events.append(robot, { session, bootId: 'boot1', inSeq: 2, events: [{ name: 'tap', data: { x: 1, y: 2 } }] }), {
      appended: false,
      why: 'old',
    });
  });

  it('returns the outcome of the wait for a late touch, which can be stored as an event', async () => {
    const store = await testStore();
    const robot = await testRobot(store);
    const { session } = await held(store, robot);
    const wait = await newWait(store, robot);
    await store.waits.open(robot, wait);
    await store.waits.settle(robot, wait.number, { outcome: 'timed_out' }, session);
    assert.deepEqual(await store.waits.settle(robot, wait.number, tap, session, { bootId: 'boot1', seq: 2, safeSeq: 2 }), {
      settled: false,
      why: 'late',
      outcome: { outcome: 'timed_out' },
    });
    assert.ok((await store.events.append(robot, { session, bootId: 'boot1', inSeq: 2, events: [{ name: 'tap', data: { x: 1, y: 2 } }] })).appended);
  });

  it('refuses to settle or arm a wait for a session that has lost the robot', async () => {
    const store = await testStore();
    const robot = await testRobot(store);
    const old = await held(store, robot);
    await held(store, robot, { dial: 2 });
    const wait = await newWait(store, robot);
    await store.waits.open(robot, wait);
    assert.deepEqual(await store.waits.settle(robot, wait.number, tap, old.session, { bootId: 'boot1', seq: 2, safeSeq: 2 }), {
      settled: false,
      why: 'lost',
    });
    assert.equal(await store.waits.arm(robot, old.session, wait, { bootId: 'boot1', ms: 1, seq: 0 }), 'lost');
    assert.equal((await store.waits.read(robot, wait.number))?.outcome, null);
  });

  it('keeps the outcome readable after the wait was settled, and gives every key a TTL', async () => {
    const store = await testStore();
    const robot = await testRobot(store);
    const wait = await newWait(store, robot);
    await store.waits.open(robot, wait);
    await store.waits.settle(robot, wait.number, { outcome: 'cancelled' }, null);
    assert.deepEqual((await store.waits.read(robot, wait.number))?.outcome, { outcome: 'cancelled' });
    const ttl = await store.connections.commands.pttl(`perch:{${robot}}:wait:${wait.number}`);
    assert.ok(ttl > 60_000 && ttl <= 100_000, `${ttl}`);
  });

  it('stores with the outcome whether the robot was offline or restarted during the wait', async () => {
    const store = await testStore();
    await store.instances.announce();
    const timedOut: WaitOutcome = { outcome: 'timed_out' };
    const run = async (meanwhile: (robot: string, session: string) => Promise<unknown>, end = 'settle'): Promise<boolean | undefined> => {
      const robot = await testRobot(store);
      const { session } = await held(store, robot);
      // Redis counts in ms: the following steps must be later.
      await new Promise((resolve) => setTimeout(resolve, 3));
      const wait = await newWait(store, robot);
      await store.waits.open(robot, wait);
      assert.equal((await store.waits.read(robot, wait.number))?.robotAway, false);
      await new Promise((resolve) => setTimeout(resolve, 3));
      await meanwhile(robot, session);
      if (end === 'settle') await store.waits.settle(robot, wait.number, timedOut, null);
      else if (end === 'found away') await store.waits.settle(robot, wait.number, timedOut, null, undefined, true);
      else if (end === 'stop') await store.waits.stop(robot);
      else await store.waits.open(robot, await newWait(store, robot));
      return (await store.waits.read(robot, wait.number))?.robotAway;
    };
    const stays = async (): Promise<void> => {};
    const leaves = (robot: string, session: string): Promise<unknown> => store.leases.release(robot, session, 'away');
    const moves = async (robot: string, session: string): Promise<unknown> => {
      await store.leases.release(robot, session, 'moving');
      return held(store, robot, { dial: 2 });
    };
    const leavesAndReturns = async (robot: string, session: string): Promise<unknown> => {
      await leaves(robot, session);
      return held(store, robot, { dial: 2 });
    };
    for (const end of ['settle', 'stop', 'replace']) {
      assert.equal(await run(stays, end), false, `stayed, ${end}`);
      assert.equal(await run(moves, end), false, `moved, ${end}`);
      assert.equal(await run(leaves, end), true, `left, ${end}`);
      assert.equal(await run(leavesAndReturns, end), true, `left and returned, ${end}`);
    }
    assert.equal(await run((robot) => held(store, robot, { bootId: 'boot2', started: true })), true, 'restarted');
    assert.equal(await run(stays, 'found away'), true, 'its instance has no heartbeat');
  });
});
