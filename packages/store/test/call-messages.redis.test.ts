/** Calls under an Idempotency-Key that share scripts, and the messages that these publish. */
import assert from 'node:assert/strict';
import { skipTest, until } from '@perch/testkit';
import type { CallOutcome } from '@perch/schema';
import type { Store } from '../src/index.js';
import { closeStores, testRobot, testStore } from './fixtures.js';

const claim = (id: string) => ({ fingerprint: 'f', claim: id, gateway: `gw-of-${id}` });

describe('calls under an Idempotency-Key that share a script', () => {
  let store: Store;
  let robot: string;
  beforeEach(async () => {
    store = await testStore();
    robot = await testRobot(store);
  });
  afterEach(closeStores);

  const step = { call: 'n', at: 0, answer: ['yaw', 'pitch'] };
  const ack = { t: 'ack', id: 'x', result: { yaw: 3, pitch: 'up', other: 1 } } as const;
  const outcome: CallOutcome = { answer: { ok: true, yaw: 3, pitch: null } };

  it('publishes the first commands of calls that begin with them, and none of a call that another one began; not on a Cluster', async function () {
    assert.equal(store.calls.canBeginWithCommand, !store.connections.isCluster);
    if (store.connections.isCluster) return skipTest(this, 'on a Redis Cluster no script has all calls and channels');
    const received: string[] = [];
    await store.linkMailbox.receive('link-a', (message) => received.push(message.t === 'command' ? message.id : message.t));
    await store.calls.begin(robot, 'running', claim('a'));
    const command = (id: string) =>
      ({ t: 'command', id, robot, session: 's', gateway: 'gw-a', expires: 1, requestId: 'q', command: { name: 'face', args: {} } }) as const;
    const begun = await Promise.all(
      ['n', 'm', 'running', 'dead'].map((name) =>
        store.calls.beginWith(robot, name, claim('b'), '', name === 'dead' ? 'link-dead' : 'link-a', command(`gw-a.${name}`)),
      ),
    );
    assert.deepEqual(
      begun.map(({ found, receivers }) => [found.state, receivers]),
      [
        ['begun', 1],
        ['begun', 1],
        ['running', 0],
        ['begun', 0],
      ],
    );
    await store.linkMailbox.send('link-a', { t: 'close', robot, session: 's', code: 4003 });
    await until(() => received.includes('close'));
    assert.deepEqual(received, ['gw-a.n', 'gw-a.m', 'close']);
  });

  it('passes acks to the gateways that wait for them with the outcomes, those of one gateway together; on a Cluster its caller does', async () => {
    const names = ['n', 'm', 'o', 'gone'];
    const received: unknown[] = [];
    const receiver = await testStore();
    await receiver.gatewayMailbox.receive(receiver.instance, (message) => received.push(message));
    for (const name of names.slice(0, 3)) await store.calls.begin(robot, name, claim('a'));
    const kept = await Promise.all(
      names.map((call, i) => {
        const awaited = { gateway: i === 2 ? 'gw-dead' : receiver.instance, ack: { ...ack, id: `${receiver.instance}.${call}`, receivedAt: 5 } };
        return store.calls.keepReply(robot, { ...step, call }, ack, awaited);
      }),
    );
    if (store.connections.isCluster) return assert.deepEqual(kept, ['ended', 'ended', 'ended', 'over']);
    assert.deepEqual(
      kept,
      ['acked', 'acked', 'ended', 'over'],
      'nobody received the ack for a dead gateway, and no outcome of a call that is over is stored',
    );
    await until(() => received.length === 2);
    const passed = (call: string) => ({ ...ack, id: `${receiver.instance}.${call}`, receivedAt: 5, ended: true });
    assert.deepEqual(received, [passed('n'), passed('m')]);
    for (const name of names.slice(0, 3)) assert.deepEqual(await store.calls.begin(robot, name, claim('b')), { state: 'ended', outcome });
  });

  it('does not pass an ack whose outcome is not stored', async () => {
    await store.calls.begin(robot, 'n', claim('a'));
    const receiver = await testStore();
    const received: string[] = [];
    await receiver.gatewayMailbox.receive(receiver.instance, ({ id }) => received.push(id));
    const awaited = { gateway: receiver.instance, ack };
    const long = { ...ack, result: { yaw: 3, text: 'x'.repeat(200) } };
    assert.equal(await store.calls.keepReply(robot, step, long, awaited), 'kept');
    assert.equal(await store.calls.keepReply(robot, { ...step, call: 'gone' }, ack, awaited), 'over');
    await store.gatewayMailbox.send(receiver.instance, { t: 'not_here', id: 'last' });
    await until(() => received.includes('last'));
    assert.deepEqual(received, ['last']);
  });

  it('begins all calls of one event-loop iteration, and stores all replies of one, by one script on a single Redis', async function () {
    if (store.connections.isCluster) return skipTest(this, 'on a Redis Cluster no script has all calls and channels');
    const ran: string[] = [];
    const { script } = store.connections;
    store.connections.script = (name, keys, args) => {
      ran.push(name);
      return script(name, keys, args);
    };
    const other = await testRobot(store);
    const calls = [0, 1, 2, 3].map((i) => ({ at: i < 2 ? robot : other, name: `n${i}` }));
    ran.length = 0;
    const states = await Promise.all([...calls, calls[0]!].map(({ at, name }, i) => store.calls.begin(at, name, claim(`c${i}`))));
    assert.deepEqual(
      states.map(({ state }) => state),
      ['begun', 'begun', 'begun', 'begun', 'running'],
    );
    const kept = await Promise.all(
      calls.map(({ at, name }, i) =>
        store.calls.keepReply(at, { call: name, at: 0, ...(i % 2 === 0 && { answer: [] }) }, { t: 'ack', id: 'x', result: { i } }),
      ),
    );
    assert.deepEqual(kept, ['ended', 'kept', 'ended', 'kept']);
    assert.deepEqual(ran, ['callBegin', 'callReply']);
  });
});
