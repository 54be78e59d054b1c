import { until } from '@perch/testkit';
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { Stage, type Instance } from './stage.js';

describe('commands of a robot', () => {
  let stage: Stage;
  let link: Instance;
  before(async () => {
    stage = await Stage.open();
    link = await stage.instance();
  });
  after(() => stage.close());

  it('answers with the ack of the robot and its result', async () => {
    const { robot, ...rest } = await stage.started(link);
    const reply = await stage.gate.command({ robot, ...rest }, { name: 'head.move', args: { yaw: 200 } });
    assert.equal(reply.t, 'ack');
    assert.deepEqual(robot.violations, []);
  });

  it('names in its ack when a command came that was late, and only then', async () => {
    const made = await stage.started(link);
    const { clock } = stage.store;
    const face = { name: 'face', args: { emotion: 'happy' } };
    const sentAt = clock.now();
    const late = await stage.gate.command(made, face, { arrivedAt: sentAt - 3000 });
    // The clocks of both instances are Redis' as each knows it.
    assert.ok(late.t === 'ack' && late.receivedAt! > sentAt - 500 && late.receivedAt! < clock.now() + 500, JSON.stringify(late));
    const soon = await stage.gate.command(made, face, { arrivedAt: clock.now() + 60_000 });
    assert.ok(soon.t === 'ack' && !('receivedAt' in soon), JSON.stringify(soon));
  });

  for (const [robotCode, code] of [
    ['bad_args', 'bad_argument'],
    ['unknown', 'not_offered'],
    ['busy', 'robot_busy'],
    ['card_showing', 'card_showing'],
    ['hardware', 'robot_hardware'],
  ] as const) {
    it(`answers ${code} where the robot says ${robotCode}`, async () => {
      const made = await stage.started(link);
      made.robot.faults.nack(robotCode);
      const reply = await stage.gate.command(made, { name: 'face', args: { emotion: 'happy' } });
      assert.equal(reply.t === 'nack' && reply.code, code);
    });
  }

  it('answers no_ack for a robot that does not confirm, and the robot is free for the next command', async () => {
    const made = await stage.started(link);
    made.robot.faults.neverAck(['face']);
    const reply = await stage.gate.command(made, { name: 'face', args: { emotion: 'happy' } }, { ttlMs: 100 });
    assert.equal(reply.t === 'nack' && reply.code, 'no_ack');
    assert.equal((await stage.gate.command(made, { name: 'head.gesture', args: { name: 'nod' } })).t, 'ack');
  });

  it('has at most 4 in flight and 32 in line, refuses more as busy, and keeps the order', async () => {
    const made = await stage.started(link);
    made.robot.faults.neverAck('*');
    const { instance, session } = await stage.store.leases.find(made.id);
    const ids = Array.from({ length: 40 }, () => randomUUID());
    for (const [i, id] of ids.entries()) {
      void stage.store.links.send(instance, {
        t: 'command',
        id,
        robot: made.id,
        session,
        gateway: stage.gate.id,
        expires: stage.store.clock.now() + 2000,
        requestId: id,
        command: { name: 'face', args: { emotion: i % 2 ? 'happy' : 'sad' } },
      });
    }
    for (const id of ids.slice(36)) {
      const reply = await stage.gate.reply(id);
      assert.equal(reply.t === 'nack' && reply.code, 'robot_busy');
    }
    await made.robot.until(({ commands }) => commands.length === 4);
    assert.equal(made.robot.commands.length, 4);
    for (const id of ids.slice(0, 36)) {
      const reply = await stage.gate.reply(id);
      assert.equal(reply.t === 'nack' && reply.code, 'no_ack');
    }
    // What was too old to be sent was not sent later.
    assert.equal(made.robot.commands.length, 4);
    assert.deepEqual(made.robot.violations, []);
  });

  it('writes commands in the order in which they came, pictures among them', async () => {
    const made = await stage.started(link);
    const picture = await stage.picture(90_000);
    const replies = await Promise.all([
      stage.gate.command(made, { name: 'face', args: { emotion: 'happy' } }),
      stage.gate.command(made, { name: 'screen.show', args: { layer: 'card', id: 'c1' }, attachments: [{ path: [], picture }] }),
      stage.gate.command(made, { name: 'face', args: { emotion: 'sad' } }),
      stage.gate.command(made, { name: 'screen.clear', args: { layer: 'card' } }),
      stage.gate.command(made, { name: 'head.gesture', args: { name: 'nod' } }),
      stage.gate.command(made, { name: 'face', args: { emotion: 'neutral' } }),
    ]);
    assert.deepEqual(
      replies.map(({ t }) => t),
      Array(6).fill('ack'),
    );
    assert.deepEqual(
      made.robot.commands.map(({ name }) => name),
      ['face', 'screen.show', 'face', 'screen.clear', 'head.gesture', 'face'],
    );
    assert.deepEqual(made.robot.violations, []);
  });

  it('sends a picture whole, and tells the gateway what the robot shows', async () => {
    const made = await stage.started(link);
    const picture = await stage.picture(50_001);
    await stage.gate.command(made, { name: 'screen.show', args: { layer: 'card', id: 'card-1' }, attachments: [{ path: [], picture }] });
    assert.equal(made.robot.screen.card?.id, 'card-1');
    made.robot.setReading('light_lux', 77);
    made.robot.reportNow();
    const { session } = await stage.store.leases.find(made.id);
    const state = await until(async () => {
      const id = randomUUID();
      await stage.gate.send(made, { t: 'state', id, robot: made.id, session, gateway: stage.gate.id, expires: stage.store.clock.now() + 500 });
      const reply = await stage.gate.reply(id);
      return reply.t === 'state' && reply.readings['light_lux'] === 77 ? reply : null;
    });
    assert.equal(state.showing.card, 'card-1');
    assert.equal(typeof state.readingsAt, 'number');
    assert.deepEqual(made.robot.violations, []);
  });

  it('puts a picture into its place in the arguments of a command of the robot', async () => {
    const made = await stage.started(link);
    const picture = await stage.picture(3000);
    const reply = await stage.gate.command(made, {
      name: 'robot',
      args: { command: 'sticker', args: { id: 's1', x: 10, y: 10, tappable: true } },
      attachments: [{ path: ['args', 'image'], picture }],
    });
    assert.equal(reply.t, 'ack', JSON.stringify(reply));
    assert.deepEqual(made.robot.violations, []);
  });

  it('says which media is missing and sends nothing', async () => {
    const made = await stage.started(link);
    const picture = { ...(await stage.picture()), hash: 'f'.repeat(64) };
    const reply = await stage.gate.command(made, { name: 'screen.show', args: { layer: 'card', id: 'c' }, attachments: [{ path: [], picture }] });
    assert.deepEqual(reply, { t: 'media_missing', id: reply.id, hash: picture.hash });
    assert.equal(made.robot.commands.length, 0);
  });

  it('sends back what is for a session it does not hold', async () => {
    const made = await stage.started(link);
    const reply = await stage.gate.command(made, { name: 'face', args: { emotion: 'happy' } }, { session: 's-00000000' });
    assert.equal(reply.t, 'not_here');
    assert.equal(made.robot.commands.length, 0);
  });

  it('says that the outcome is unknown where the robot goes away with a command, and sends back what was in line', async () => {
    const made = await stage.started(link, { reconnect: { minMs: 5000 } });
    made.robot.faults.neverAck('*');
    const replies = Array.from({ length: 6 }, () => stage.gate.command(made, { name: 'face', args: { emotion: 'happy' } }));
    await made.robot.until(({ commands }) => commands.length === 4);
    made.robot.faults.dropConnection();
    const kinds = (await Promise.all(replies)).map((reply) => (reply.t === 'nack' ? reply.code : reply.t));
    assert.deepEqual(kinds.sort(), ['not_here', 'not_here', ...Array(4).fill('outcome_unknown')]);
  });

  it('never uses an id twice for one boot of a robot', async () => {
    const made = await stage.started(link);
    for (let i = 0; i < 3; i += 1) {
      await stage.gate.command(made, { name: 'face', args: { emotion: 'happy' } });
      const before = made.robot.session;
      made.robot.faults.dropConnection();
      await made.robot.until(({ online, session }) => online && session !== before);
      await until(async () => (await stage.store.leases.find(made.id)).session === made.robot.session);
    }
    const ids = made.robot.commands.map(({ id }) => id);
    assert.equal(new Set(ids).size, 3);
    assert.equal(ids.length, 3);
  });
});
