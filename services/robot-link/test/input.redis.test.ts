import { until } from '@perch/testkit';
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { Stage, type Instance, type TestRobot } from './stage.js';

describe('what people do at a robot', () => {
  let stage: Stage;
  let link: Instance;
  before(async () => {
    stage = await Stage.open();
    link = await stage.instance();
  });
  after(() => stage.close());

  const allAcked = (made: TestRobot) => made.robot.until(({ inputs }) => inputs.acked === inputs.seq, { what: 'all input acked' });

  it('becomes events in order, and is acked when they are stored', async () => {
    const made = await stage.started(link, { instant: true });
    await made.robot.tap(10, 20);
    await made.robot.pressPower({ heldMs: 1200 });
    await made.robot.longTouch(30, 40);
    await made.robot.pressPower({ heldMs: 100 });
    await stage.events(made, ['connected', 'tap', 'button', 'long_press', 'button']);
    await allAcked(made);
    const { events } = await stage.store.events.read(made.id, {});
    assert.deepEqual(
      events.map(({ data }) => data),
      [{}, { x: 10, y: 20 }, { press: 'long' }, { x: 30, y: 40 }, { press: 'short' }],
    );
    assert.deepEqual(made.robot.violations, []);
  });

  it('is not acked before its gesture ended, so that the next session sees the whole of it', async () => {
    const made = await stage.started(link, { instant: true });
    await made.robot.pressPower();
    await allAcked(made);
    const down = made.robot.touchDown(10, 20);
    await made.robot.pressPower();
    await stage.events(made, ['connected', 'button', 'button']);
    assert.equal(made.robot.inputs.acked, down - 1);
    made.robot.faults.dropConnection();
    await made.robot.until(({ online }) => !online);
    made.robot.touchUp(10, 20, 90);
    await stage.events(made, ['connected', 'button', 'button', 'connected', 'tap']);
    await allAcked(made);
  });

  it('stays safe when the robot comes back after a while and has nothing to say', async () => {
    const made = await stage.started(link, { instant: true });
    await made.robot.pressPower();
    await allAcked(made);
    const back = async (dial: number): Promise<number> => {
      const socket = new WebSocket(link.app.address, 'perch-link.v1', { headers: { authorization: `Bearer ${made.token}` } });
      await once(socket, 'open');
      const welcome = once(socket, 'message');
      const { bootId } = made.robot;
      socket.send(JSON.stringify({ t: 'hello', v: [1], model: 'm', firmware: 'f', boot_id: bootId, dial, reason: 'restart', features: [] }));
      const { in_ack: ack } = JSON.parse(String((await welcome)[0])) as { in_ack: number };
      await until(async () => (await stage.eventNames(made)).length === dial);
      socket.close();
      return ack;
    };
    await made.robot.stop();
    await until(async () => (await stage.store.leases.find(made.id)).state === 'away');
    assert.equal(await back(3), 1);
    assert.equal(await back(4), 1);
  });

  it('is stored once, however often it is sent', async () => {
    const made = await stage.started(link, { instant: true });
    for (let i = 0; i < 20; i += 1) {
      await made.robot.tap(i, i);
      if (i % 3 === 0) {
        made.robot.faults.dropConnection();
        await made.robot.until(({ online }) => !online);
      }
    }
    await made.robot.until(({ online }) => online);
    await allAcked(made);
    const { events } = await stage.store.events.read(made.id, {});
    assert.deepEqual(
      events.filter(({ name }) => name === 'tap').map(({ data }) => data['x']),
      Array.from({ length: 20 }, (_, i) => i),
    );
  });

  it('is stored once where the acks got lost and another instance gets it again', async () => {
    const other = await stage.instance();
    const made = await stage.started(link, { instant: true, reconnect: { minMs: 60_000, maxMs: 60_000 } });
    // The robot goes on sending and hears no ack.
    made.robot.faults.stopReading();
    await made.robot.tap(1, 1);
    await made.robot.tap(2, 2);
    await stage.events(made, ['connected', 'tap', 'tap']);
    assert.equal(made.robot.inputs.acked, 0);
    // The same boot at the other door, with the same input unacked.
    const inputs = [...made.robot.inputs.unacked];
    const again = stage.again(made, other.app.address, { faults: { hello: { boot_id: made.robot.bootId, dial: 2 } } });
    await again.robot.start();
    for (const input of inputs) again.robot.faults.sendRaw(JSON.stringify(input));
    again.robot.faults.sendRaw(JSON.stringify({ t: 'in', seq: inputs.length + 1, ms: 99_999, kind: 'power_key', held_ms: 10 }));
    await stage.events(made, ['connected', 'tap', 'tap', 'connected', 'button']);
  });

  it('tells plugged and unplugged on a change only, also across sessions', async () => {
    const made = await stage.started(link, { instant: true });
    made.robot.plug();
    made.robot.unplug();
    await until(async () => (await stage.eventNames(made)).at(-1) === 'unplugged');
    const before = made.robot.session;
    made.robot.faults.dropConnection();
    await made.robot.until(({ online, session }) => online && session !== before);
    made.robot.unplug();
    made.robot.plug();
    await until(async () => (await stage.eventNames(made)).at(-1) === 'plugged');
    assert.deepEqual((await stage.eventNames(made)).filter((name) => name.endsWith('plugged')).slice(-2), ['unplugged', 'plugged']);
  });

  it('keeps within 50 events a second without losing one', async () => {
    const made = await stage.started(link, { instant: true });
    for (let i = 0; i < 70; i += 1) await made.robot.pressPower();
    await until(async () => (await stage.eventNames(made)).length === 71, { timeoutMs: 8000 });
    await allAcked(made);
  });

  it('of a robot that another session took unseen is not stored, and ends the session with 4001', async () => {
    const made = await stage.started(link, { instant: true, reconnect: { minMs: 20_000, maxMs: 20_000 } });
    await stage.events(made, ['connected']);
    await stage.store.instances.announce();
    // As an instance does that could not tell the one before.
    const taken = await stage.store.leases.take(made.id, {
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
    assert.deepEqual(await stage.eventNames(made), ['connected']);
    assert.equal(made.robot.inputs.acked, 0);
    const lease = await stage.store.connections.commands.hgetall(`perch:{${made.id}}:lease`);
    assert.equal(lease['session'], 's-newer000');
    assert.equal(lease['state'], 'held');
  });

  it('of a robot that nobody holds by Redis, as after an older copy, sends it back at once, and is not lost', async () => {
    const made = await stage.started(link, { instant: true, reconnect: { minMs: 200 } });
    await stage.events(made, ['connected']);
    await stage.store.connections.commands.del(`perch:{${made.id}}:lease`);
    await made.robot.tap(1, 1);
    await made.robot.until(({ lastClosed }) => lastClosed?.code === 4009);
    await stage.events(made, ['connected', 'connected', 'tap']);
  });
});
