import { until } from '@perch/testkit';
import { StoreError } from '@perch/store';
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { useLink, useLinks } from './links-under-test.js';

describe('commands of a robot', () => {
  const system = useLinks();
  const link = useLink(system);

  it('answers with the ack of the robot and its result', async () => {
    const { robot, ...rest } = await system.started(link);
    const reply = await system.gateway.command({ robot, ...rest }, { name: 'head.move', args: { yaw: 200 } });
    assert.equal(reply.t, 'ack');
    assert.deepEqual(robot.violations, []);
  });

  it('reports in the ack when a late command was received, and omits it for other commands', async () => {
    const made = await system.started(link);
    const { clock } = system.store;
    const face = { name: 'face', args: { emotion: 'happy' } };
    const sentAt = clock.now();
    const late = await system.gateway.command(made, face, { arrivedAt: sentAt - 3000 });
    // Both instances estimate Redis' clock, with different errors.
    assert.ok(late.t === 'ack' && late.receivedAt! > sentAt - 500 && late.receivedAt! < clock.now() + 500, JSON.stringify(late));
    const soon = await system.gateway.command(made, face, { arrivedAt: clock.now() + 60_000 });
    assert.ok(soon.t === 'ack' && !('receivedAt' in soon), JSON.stringify(soon));
  });

  it('stores the outcome of a call with the ack of its only command and says so, unless the call is over', async () => {
    const made = await system.started(link);
    const { calls } = system.store;
    const claim = { fingerprint: 'f', claim: 'c', gateway: system.gateway.id };
    await calls.begin(made.id, 'n', claim);
    const move = { name: 'head.move', args: { yaw: 20 } };
    const step = { call: 'n', at: 0, answer: ['yaw'] };
    const plain = await system.gateway.command(made, move, { step: { call: 'n', at: 0 } });
    assert.ok(plain.t === 'ack' && !('ended' in plain), JSON.stringify(plain));
    assert.equal((await calls.begin(made.id, 'n', { ...claim, claim: 'd' })).state, 'running');
    const ack = await system.gateway.command(made, move, { step });
    assert.ok(ack.t === 'ack' && ack.ended === true, JSON.stringify(ack));
    const outcome = { answer: { ok: true, yaw: ack.result['yaw'] } };
    assert.deepEqual(await calls.begin(made.id, 'n', { ...claim, claim: 'd' }), { state: 'ended', outcome });
    const gone = await system.gateway.command(made, move, { step: { ...step, call: 'gone' } });
    assert.ok(gone.t === 'ack' && !('ended' in gone), JSON.stringify(gone));
    made.robot.faults.nack('hardware');
    await calls.begin(made.id, 'm', claim);
    assert.equal((await system.gateway.command(made, move, { step: { ...step, call: 'm' } })).t, 'nack');
    assert.equal((await calls.begin(made.id, 'm', { ...claim, claim: 'd' })).state, 'running');
  });

  it('acks to the gateway when Redis fails to store the outcome, and stores it later', async () => {
    const made = await system.started(link);
    const { calls } = link.store;
    await calls.begin(made.id, 'n', { fingerprint: 'f', claim: 'c', gateway: system.gateway.id });
    const { keepReply } = calls;
    calls.keepReply = async (): Promise<never> => {
      calls.keepReply = keepReply;
      throw new StoreError('unavailable', 'Redis: Connection is closed.');
    };
    const face = { name: 'face', args: { emotion: 'happy' } };
    const ack = await system.gateway.command(made, face, { step: { call: 'n', at: 0, answer: [] } });
    assert.ok(ack.t === 'ack' && !('ended' in ack), JSON.stringify(ack));
    const found = async (): Promise<string> => (await system.store.calls.begin(made.id, 'n', { fingerprint: 'f', claim: 'd', gateway: 'g' })).state;
    await until(async () => (await found()) === 'ended');
  });

  for (const [robotCode, code] of [
    ['bad_args', 'bad_argument'],
    ['unknown', 'not_offered'],
    ['busy', 'robot_busy'],
    ['card_showing', 'card_showing'],
    ['hardware', 'robot_hardware'],
  ] as const) {
    it(`answers ${code} when the robot refuses with ${robotCode}`, async () => {
      const made = await system.started(link);
      made.robot.faults.nack(robotCode);
      const reply = await system.gateway.command(made, { name: 'face', args: { emotion: 'happy' } });
      assert.equal(reply.t === 'nack' && reply.code, code);
    });
  }

  it('answers no_ack if the robot does not confirm, and the robot accepts the next command', async () => {
    const made = await system.started(link);
    made.robot.faults.neverAck(['face']);
    const reply = await system.gateway.command(made, { name: 'face', args: { emotion: 'happy' } }, { ttlMs: 100 });
    assert.equal(reply.t === 'nack' && reply.code, 'no_ack');
    assert.equal((await system.gateway.command(made, { name: 'head.gesture', args: { name: 'nod' } })).t, 'ack');
  });

  it('has up to 4 commands in flight and 32 queued, refuses more as busy, and keeps the order', async () => {
    const made = await system.started(link);
    made.robot.faults.neverAck('*');
    const { instance, session } = await system.store.leases.find(made.id);
    const ids = Array.from({ length: 40 }, () => randomUUID());
    for (const [i, id] of ids.entries()) {
      void system.store.linkMailbox.send(instance, {
        t: 'command',
        id,
        robot: made.id,
        session,
        gateway: system.gateway.id,
        expires: system.store.clock.now() + 2000,
        requestId: id,
        command: { name: 'face', args: { emotion: i % 2 ? 'happy' : 'sad' } },
      });
    }
    for (const id of ids.slice(36)) {
      const reply = await system.gateway.reply(id);
      assert.equal(reply.t === 'nack' && reply.code, 'robot_busy');
    }
    await made.robot.until(({ commands }) => commands.length === 4);
    assert.equal(made.robot.commands.length, 4);
    for (const id of ids.slice(0, 36)) {
      const reply = await system.gateway.reply(id);
      assert.equal(reply.t === 'nack' && reply.code, 'no_ack');
    }
    // Expired commands were not sent later.
    assert.equal(made.robot.commands.length, 4);
    assert.deepEqual(made.robot.violations, []);
  });

  it('writes commands in order of arrival, including those with pictures', async () => {
    const made = await system.started(link);
    const picture = await system.picture(90_000);
    const replies = await Promise.all([
      system.gateway.command(made, { name: 'face', args: { emotion: 'happy' } }),
      system.gateway.command(made, { name: 'screen.show', args: { layer: 'card', id: 'c1' }, attachments: [{ path: [], picture }] }),
      system.gateway.command(made, { name: 'face', args: { emotion: 'sad' } }),
      system.gateway.command(made, { name: 'screen.clear', args: { layer: 'card' } }),
      system.gateway.command(made, { name: 'head.gesture', args: { name: 'nod' } }),
      system.gateway.command(made, { name: 'face', args: { emotion: 'neutral' } }),
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

  it('sends a whole picture and reports to the gateway what the robot shows', async () => {
    const made = await system.started(link);
    const picture = await system.picture(50_001);
    await system.gateway.command(made, { name: 'screen.show', args: { layer: 'card', id: 'card-1' }, attachments: [{ path: [], picture }] });
    assert.equal(made.robot.screen.card?.id, 'card-1');
    made.robot.setReading('light_lux', 77);
    made.robot.reportNow();
    const { session } = await system.store.leases.find(made.id);
    const state = await until(async () => {
      const id = randomUUID();
      await system.gateway.send(made, {
        t: 'state',
        id,
        robot: made.id,
        session,
        gateway: system.gateway.id,
        expires: system.store.clock.now() + 500,
      });
      const reply = await system.gateway.reply(id);
      return reply.t === 'state' && reply.readings['light_lux'] === 77 ? reply : null;
    });
    assert.equal(state.showing.card, 'card-1');
    assert.equal(typeof state.readingsAt, 'number');
    assert.deepEqual(made.robot.violations, []);
  });

  it('puts a picture into the arguments of a command at its path', async () => {
    const made = await system.started(link);
    const picture = await system.picture(3000);
    const reply = await system.gateway.command(made, {
      name: 'robot',
      args: { command: 'sticker', args: { id: 's1', x: 10, y: 10, tappable: true } },
      attachments: [{ path: ['args', 'image'], picture }],
    });
    assert.equal(reply.t, 'ack', JSON.stringify(reply));
    assert.deepEqual(made.robot.violations, []);
  });

  it('reports which media is missing and sends nothing', async () => {
    const made = await system.started(link);
    const picture = { ...(await system.picture()), hash: 'f'.repeat(64) };
    const reply = await system.gateway.command(made, { name: 'screen.show', args: { layer: 'card', id: 'c' }, attachments: [{ path: [], picture }] });
    assert.deepEqual(reply, { t: 'media_missing', id: reply.id, hash: picture.hash });
    assert.equal(made.robot.commands.length, 0);
  });

  it('sends back a message for a session that is not on this instance', async () => {
    const made = await system.started(link);
    const reply = await system.gateway.command(made, { name: 'face', args: { emotion: 'happy' } }, { session: 's-00000000' });
    assert.equal(reply.t, 'not_here');
    assert.equal(made.robot.commands.length, 0);
  });

  it('answers outcome_unknown for a command in flight when the robot disconnects, and sends queued commands back', async () => {
    const made = await system.started(link, { reconnect: { minMs: 5000 } });
    made.robot.faults.neverAck('*');
    const replies = Array.from({ length: 6 }, () => system.gateway.command(made, { name: 'face', args: { emotion: 'happy' } }));
    await made.robot.until(({ commands }) => commands.length === 4);
    made.robot.faults.dropConnection();
    const kinds = (await Promise.all(replies)).map((reply) => (reply.t === 'nack' ? reply.code : reply.t));
    assert.deepEqual(kinds.sort(), ['not_here', 'not_here', ...Array(4).fill('outcome_unknown')]);
  });

  it('never uses a command id twice in one boot of a robot', async () => {
    const made = await system.started(link);
    for (let i = 0; i < 3; i += 1) {
      await system.gateway.command(made, { name: 'face', args: { emotion: 'happy' } });
      const before = made.robot.session;
      made.robot.faults.dropConnection();
      await made.robot.until(({ online, session }) => online && session !== before);
      await until(async () => (await system.store.leases.find(made.id)).session === made.robot.session);
    }
    const ids = made.robot.commands.map(({ id }) => id);
    assert.equal(new Set(ids).size, 3);
    assert.equal(ids.length, 3);
  });
});
