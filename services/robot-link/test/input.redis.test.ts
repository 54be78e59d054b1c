import { until } from '@perch/testkit';
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { useLink, useLinks, type TestRobot } from './links-under-test.js';

describe('inputs of a robot', () => {
  const system = useLinks();
  const link = useLink(system);

  const allAcked = (made: TestRobot) => made.robot.until(({ inputs }) => inputs.acked === inputs.seq, { what: 'all input acked' });

  it('stores inputs as events in order, then acks them', async () => {
    const made = await system.started(link, { instant: true });
    await made.robot.tap(10, 20);
    await made.robot.pressPower({ heldMs: 1200 });
    await made.robot.longTouch(30, 40);
    await made.robot.pressPower({ heldMs: 100 });
    await system.events(made, ['connected', 'tap', 'button', 'long_press', 'button']);
    await allAcked(made);
    const { events } = await system.store.events.read(made.id, {});
    assert.deepEqual(
      events.map(({ data }) => data),
      [{}, { x: 10, y: 20 }, { press: 'long' }, { x: 30, y: 40 }, { press: 'short' }],
    );
    assert.deepEqual(made.robot.violations, []);
  });

  it('does not ack an input before its gesture ends, so that the next session gets the whole gesture', async () => {
    const made = await system.started(link, { instant: true });
    await made.robot.pressPower();
    await allAcked(made);
    const down = made.robot.touchDown(10, 20);
    await made.robot.pressPower();
    await system.events(made, ['connected', 'button', 'button']);
    assert.equal(made.robot.inputs.acked, down - 1);
    made.robot.faults.dropConnection();
    await made.robot.until(({ online }) => !online);
    made.robot.touchUp(10, 20, 90);
    await system.events(made, ['connected', 'button', 'button', 'connected', 'tap']);
    await allAcked(made);
  });

  it('keeps inputs acked when the robot reconnects after a while without new ones', async () => {
    const made = await system.started(link, { instant: true });
    await made.robot.pressPower();
    await allAcked(made);
    const back = async (dial: number): Promise<number> => {
      const socket = new WebSocket(link.app.address, 'perch-link.v1', { headers: { authorization: `Bearer ${made.token}` } });
      await once(socket, 'open');
      const welcome = once(socket, 'message');
      const { bootId } = made.robot;
      socket.send(JSON.stringify({ t: 'hello', v: [1], model: 'm', firmware: 'f', boot_id: bootId, dial, reason: 'restart', features: [] }));
      const { in_ack: ack } = JSON.parse(String((await welcome)[0])) as { in_ack: number };
      await until(async () => (await system.eventNames(made)).length === dial);
      socket.close();
      return ack;
    };
    await made.robot.stop();
    await until(async () => (await system.store.leases.find(made.id)).state === 'away');
    assert.equal(await back(3), 1);
    assert.equal(await back(4), 1);
  });

  it('stores an input once, however often it is sent', async () => {
    const made = await system.started(link, { instant: true });
    for (let i = 0; i < 20; i += 1) {
      await made.robot.tap(i, i);
      if (i % 3 === 0) {
        made.robot.faults.dropConnection();
        await made.robot.until(({ online }) => !online);
      }
    }
    await made.robot.until(({ online }) => online);
    await allAcked(made);
    const { events } = await system.store.events.read(made.id, {});
    assert.deepEqual(
      events.filter(({ name }) => name === 'tap').map(({ data }) => data['x']),
      Array.from({ length: 20 }, (_, i) => i),
    );
  });

  it('stores an input once if its ack was lost and another instance receives it again', async () => {
    const other = await system.instance();
    const made = await system.started(link, { instant: true, reconnect: { minMs: 60_000, maxMs: 60_000 } });
    // The robot keeps sending and receives no ack.
    made.robot.faults.stopReading();
    await made.robot.tap(1, 1);
    await made.robot.tap(2, 2);
    await system.events(made, ['connected', 'tap', 'tap']);
    assert.equal(made.robot.inputs.acked, 0);
    // The same boot connects to the other instance, with the same unacked inputs.
    const inputs = [...made.robot.inputs.unacked];
    const again = system.again(made, other.app.address, { faults: { hello: { boot_id: made.robot.bootId, dial: 2 } } });
    await again.robot.start();
    for (const input of inputs) again.robot.faults.sendRaw(JSON.stringify(input));
    again.robot.faults.sendRaw(JSON.stringify({ t: 'in', seq: inputs.length + 1, ms: 99_999, kind: 'power_key', held_ms: 10 }));
    await system.events(made, ['connected', 'tap', 'tap', 'connected', 'button']);
  });

  it('reports plugged and unplugged only on a change, also across sessions', async () => {
    const made = await system.started(link, { instant: true });
    made.robot.plug();
    made.robot.unplug();
    await until(async () => (await system.eventNames(made)).at(-1) === 'unplugged');
    const before = made.robot.session;
    made.robot.faults.dropConnection();
    await made.robot.until(({ online, session }) => online && session !== before);
    made.robot.unplug();
    made.robot.plug();
    await until(async () => (await system.eventNames(made)).at(-1) === 'plugged');
    assert.deepEqual((await system.eventNames(made)).filter((name) => name.endsWith('plugged')).slice(-2), ['unplugged', 'plugged']);
  });

  it('stores up to 50 events a second without losing one', async () => {
    const made = await system.started(link, { instant: true });
    for (let i = 0; i < 70; i += 1) await made.robot.pressPower();
    await until(async () => (await system.eventNames(made)).length === 71);
    await allAcked(made);
  });

  it('closes with 4001 and does not store an input if another session took the lease unnoticed', async () => {
    const made = await system.started(link, { instant: true, reconnect: { minMs: 20_000, maxMs: 20_000 } });
    await system.events(made, ['connected']);
    await system.store.instances.announce();
    // As an instance does that could not notify the one before.
    const taken = await system.store.leases.take(made.id, {
      session: 's-newer000',
      bootId: made.robot.bootId,
      dial: 9,
      tokenHash: createHash('sha256').update(made.token).digest('hex'),
      model: 'm',
      firmware: 'f',
      hello: {},
    });
    assert.ok(!('refused' in taken));
    await made.robot.tap(1, 1);
    await made.robot.until(({ lastClosed }) => lastClosed?.code === 4001);
    assert.deepEqual(await system.eventNames(made), ['connected']);
    assert.equal(made.robot.inputs.acked, 0);
    const lease = await system.store.connections.commands.hgetall(`perch:{${made.id}}:lease`);
    assert.equal(lease['session'], 's-newer000');
    assert.equal(lease['state'], 'held');
  });

  it('closes with 4009 and loses no input if nobody holds the lease in Redis, as after restoring an older copy', async () => {
    const made = await system.started(link, { instant: true, reconnect: { minMs: 200 } });
    await system.events(made, ['connected']);
    await system.store.connections.commands.del(`perch:{${made.id}}:lease`);
    await made.robot.tap(1, 1);
    await made.robot.until(({ lastClosed }) => lastClosed?.code === 4009);
    await system.events(made, ['connected', 'connected', 'tap']);
  });
});
