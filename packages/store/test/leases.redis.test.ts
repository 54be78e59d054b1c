import assert from 'node:assert/strict';
import type { WaitRecord } from '@perch/schema';
import { robotKeys } from '../src/redis/keys.js';
import { movingMaxMs } from '../src/instances/instances.js';
import type { Hello } from '../src/robots/leases.js';
import { closeStores, held, hello, testRobot, testStore } from './fixtures.js';

describe('leases', () => {
  afterEach(closeStores);

  it('reports a robot that never connected as away', async () => {
    const store = await testStore();
    assert.deepEqual(await store.leases.find(await testRobot(store)), { state: 'away', instance: '', session: '', since: 0 });
  });

  it('takes the number of a wait together with the lease, as it is found otherwise, and the record of the robot', async () => {
    const store = await testStore('link-of-numbered');
    const robot = await testRobot(store);
    const before = (await store.leases.findNumbered(robot)) ?? assert.fail();
    assert.deepEqual([before.lease, before.record], [await store.leases.find(robot), await store.robots.get(robot)]);
    await held(store, robot);
    const left = (await store.leases.findNumbered(robot, 'link-of-numbered')) ?? assert.fail();
    assert.deepEqual([left.lease.state, left.lease], ['away', await store.leases.find(robot)], 'its instance has no heartbeat');
    await store.instances.announce();
    for (const likely of ['link-of-numbered', 'link-of-another', undefined]) {
      const found = (await store.leases.findNumbered(robot, likely)) ?? assert.fail();
      assert.deepEqual([found.lease.state, found.lease], ['held', await store.leases.find(robot)]);
      assert.deepEqual(found.record, await store.robots.get(robot));
      assert.ok(before.number < found.number && found.number < (await store.waits.number(robot))!);
    }
    assert.equal(await store.leases.findNumbered('r-removed'), null);
  });

  it('gives the lease to the newest connection and returns the displaced session', async () => {
    const [one, two] = [await testStore('link-one'), await testStore('link-two')];
    await one.instances.announce();
    const robot = await testRobot(one);
    const first = await held(one, robot);
    const taken = await two.leases.take(robot, hello({ dial: 2 }));
    assert.ok(!('refused' in taken));
    assert.deepEqual(taken.previous, { instance: 'link-one', session: first.session });
    assert.equal(taken.connectedDue, true, 'the first session ended before it appended its own');
  });

  it('returns the light that a session of the same boot saved for the robot, whichever instance takes it', async () => {
    const [one, two] = [await testStore('link-light-one'), await testStore('link-light-two')];
    const robot = await testRobot(one);
    const first = await held(one, robot);
    const light = { bootId: 'boot1', set: { on: false, pct: null }, sent: { on: true, pct: 30 } };
    const showing = { card: null, question: null, emotion: 'neutral', view: 'face' };
    const lightOf = async (overrides: Partial<Hello>) => {
      const taken = await two.leases.take(robot, hello(overrides));
      assert.ok(!('refused' in taken));
      return taken.light;
    };
    assert.equal(await one.leases.save(robot, first.session, { readings: {}, readingsAt: null, showing, light }), true);
    assert.deepEqual(await lightOf({ dial: 2 }), light);
    assert.equal(await lightOf({ dial: 0, bootId: 'boot2', started: true }), undefined);
  });

  it('requires a `connected` event for a new, restarted or absent robot until it is appended, but not for one that only moved', async () => {
    const [one, two] = [await testStore('link-three'), await testStore('link-four')];
    await one.instances.announce();
    const robot = await testRobot(one);
    let dial = 0;
    const due = async (store = one, overrides: Partial<Hello> = {}): Promise<[boolean, string]> => {
      const said = hello({ dial: ++dial, ...overrides });
      const taken = await store.leases.take(robot, said);
      assert.ok(!('refused' in taken));
      return [taken.connectedDue, said.session];
    };
    const append = async (session: string): Promise<void> => {
      const connected = [{ name: 'connected' as const, data: {} }];
      assert.ok((await one.events.append(robot, { session, bootId: 'boot1', inSeq: null, events: connected })).appended);
    };
    const leave = async (session: string, state: 'moving' | 'away', agoMs = 0): Promise<void> => {
      await one.leases.release(robot, session, state);
      if (agoMs > 0) await one.connections.commands.hincrby(robotKeys.lease(robot), 'since', -agoMs);
    };

    let [isDue, session] = await due();
    assert.equal(isDue, true, 'it never connected before');
    await leave(session, 'moving');
    [isDue, session] = await due();
    assert.equal(isDue, true, 'the session before ended without appending it');
    await append(session);
    [isDue, session] = await due();
    assert.equal(isDue, false, 'a connection over the one that still stands');
    await leave(session, 'moving', movingMaxMs - 1000);
    [isDue, session] = await due(two);
    assert.equal(isDue, false, 'a hand-over within 6 s');
    await two.leases.release(robot, session, 'moving');
    await two.connections.commands.hincrby(robotKeys.lease(robot), 'since', -movingMaxMs - 100);
    [isDue, session] = await due();
    assert.equal(isDue, true, 'a hand-over that took longer than 6 s, so that a reader may have seen it away');
    await append(session);
    await leave(session, 'away');
    [isDue, session] = await due();
    assert.equal(isDue, true, 'away, if only for a moment');
    await append(session);
    [isDue, session] = await due(one, { started: true });
    assert.equal(isDue, true, 'a restart');
    await append(session);
    await one.instances.stop();
    [isDue, session] = await due(two);
    assert.equal(isDue, true, 'the instance that held it has no heartbeat');
    [isDue] = await due(two);
    assert.equal(isDue, true, 'and that stays due until it is appended');
  });

  it('never displaces a newer connection by an older one of the same boot', async () => {
    const store = await testStore();
    const robot = await testRobot(store);
    const newer = await held(store, robot, { dial: 3 });
    assert.deepEqual(await store.leases.take(robot, hello({ dial: 2 })), { refused: 'older_dial' });
    assert.equal(await store.connections.commands.hget(robotKeys.lease(robot), 'session'), newer.session);
  });

  it('gives the lease to a new boot, whose dial count starts at 1', async () => {
    const store = await testStore();
    const robot = await testRobot(store);
    await held(store, robot, { dial: 9 });
    assert.ok(!('refused' in (await store.leases.take(robot, hello({ bootId: 'boot2', dial: 1 })))));
  });

  it('refuses the lease for a revoked token', async () => {
    const store = await testStore();
    const robot = await testRobot(store);
    assert.deepEqual(await store.leases.take(robot, hello({ tokenHash: 'another' })), { refused: 'revoked' });
  });

  it('writes nothing for an instance that has lost the lease', async () => {
    const store = await testStore();
    const robot = await testRobot(store);
    const old = await held(store, robot);
    const now = await held(store, robot, { dial: 2 });
    const saved = { readings: { battery_pct: 1 }, readingsAt: 1, showing: { card: null, question: null, emotion: 'neutral', view: 'face' } };
    assert.equal(await store.leases.save(robot, old.session, saved), false);
    assert.equal(await store.leases.savePlaying(robot, old.session, null), false);
    assert.equal(await store.leases.release(robot, old.session, 'away', saved), false);
    assert.deepEqual(await store.events.append(robot, { session: old.session, bootId: 'boot1', inSeq: 1, events: [{ name: 'shaken', data: {} }] }), {
      appended: false,
      why: 'lost',
    });
    assert.equal(await store.leases.saved(robot), null);
    assert.equal(await store.leases.save(robot, now.session, saved), true);
    assert.deepEqual(await store.leases.saved(robot), saved);
  });

  it('reports a robot as held while its instance has a heartbeat, else as away', async () => {
    const store = await testStore();
    const robot = await testRobot(store);
    await held(store, robot);
    assert.equal((await store.leases.find(robot)).state, 'away');
    await store.instances.announce();
    assert.equal((await store.leases.find(robot)).state, 'held');
  });

  it('reports a released robot as moving for 6 s, then as away', async () => {
    const store = await testStore();
    const robot = await testRobot(store);
    const { session } = await held(store, robot);
    await store.leases.release(robot, session, 'moving');
    await store.connections.commands.hincrby(robotKeys.lease(robot), 'since', -movingMaxMs / 2);
    assert.equal((await store.leases.find(robot)).state, 'moving');
    await store.connections.commands.hincrby(robotKeys.lease(robot), 'since', -movingMaxMs);
    assert.equal((await store.leases.find(robot)).state, 'away');
  });

  it('reports a robot as moving, not away, if its instance released it and ended between two reads, or another took it', async () => {
    const [link, other, reader] = [await testStore('link-ending'), await testStore('link-other'), await testStore()];
    await link.instances.announce();
    await other.instances.announce();
    const [moving, moved, left] = [await testRobot(link), await testRobot(link), await testRobot(link)];
    const sessions = await Promise.all([moving, moved, left].map((robot) => held(link, robot)));
    const health = reader.instances.health.bind(reader.instances);
    let reads = 0;
    reader.instances.health = async (instances) => {
      // At this point the leases have been read, but not the heartbeats.
      if ((reads += 1) === 1) {
        await link.leases.release(moving, sessions[0]!.session, 'moving');
        await held(other, moved, { dial: 2 });
        await link.instances.stop();
      }
      return health(instances);
    };
    const found = await reader.leases.findAll([moving, left, moved]);
    assert.deepEqual(
      found.map(({ state, instance }) => [state, instance]),
      [
        ['moving', 'link-ending'],
        ['away', 'link-ending'],
        ['held', 'link-other'],
      ],
    );
  });

  it('returns to the next holder the input mark of the same boot, the marks of near and usb, the open wait and the sound', async () => {
    const store = await testStore();
    const robot = await testRobot(store);
    const { session } = await held(store, robot);
    await store.events.append(robot, {
      session,
      bootId: 'boot1',
      inSeq: 7,
      safeSeq: 4,
      events: [{ name: 'near', data: {} }],
      near: true,
      usb: false,
    });
    const record: WaitRecord = {
      number: (await store.waits.number(robot)) ?? assert.fail(),
      kind: 'ask',
      targets: [],
      picture: null,
      timeoutMs: 1000,
      gateway: 'gw',
      call: 'c',
      requestId: 'q',
    };
    await store.waits.open(robot, record);
    const armed = await store.waits.arm(robot, session, record, { bootId: 'boot1', ms: 5, seq: 7 });
    const playing = {
      id: 'p',
      stream: 3,
      sound: { kind: 'sound' as const, account: 'a', hash: 'h', format: 'pcm_s16le' as const, rate: 16_000, bytes: 32_000 },
    };
    await store.leases.savePlaying(robot, session, playing);

    const taken = await store.leases.take(robot, hello({ dial: 2 }));
    assert.ok(!('refused' in taken));
    assert.equal(taken.inSeq, 7);
    assert.equal(taken.safeSeq, 4, 'a gesture that began at 5 is not finished');
    assert.equal(taken.near, true);
    assert.equal(taken.usb, false);
    assert.deepEqual(taken.wait, { record, armed, outcome: null });
    assert.deepEqual(taken.playing, playing);

    const rebooted = await store.leases.take(robot, hello({ bootId: 'boot2' }));
    assert.ok(!('refused' in rebooted));
    assert.deepEqual([rebooted.inSeq, rebooted.safeSeq], [0, 0]);
    assert.equal(rebooted.near, true);
  });
});
