import { needsRedisServer, redisProcess, until, type LocalRedis } from '@perch/testkit';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { leftHalf, rightHalf, useLink, useLinks } from './links-under-test.js';

describe('a robot-link while Redis is unavailable', () => {
  let redis: LocalRedis;
  before(async function () {
    needsRedisServer(this);
    redis = await redisProcess();
  });
  const system = useLinks({ redis: () => redis.url });
  const link = useLink(system);
  after(() => redis?.stop());

  it('keeps the sessions, acks no input, and stores each input in order and once when Redis is back', async () => {
    const made = await system.started(link, { instant: true });
    await system.events(made, ['connected']);
    await redis.kill('SIGSTOP');
    try {
      await made.robot.tap(1, 1);
      await made.robot.pressPower();
      await made.robot.tap(2, 2);
      // Redis receives the first one while it is stopped, and a retry of it later.
      await until(() => new Promise((resolve) => setTimeout(resolve, 1500, true)));
      assert.equal(made.robot.inputs.acked, 0);
      assert.equal(made.robot.online, true);
    } finally {
      await redis.kill('SIGCONT');
    }
    await system.events(made, ['connected', 'tap', 'button', 'tap']);
    await made.robot.until(({ inputs }) => inputs.acked === inputs.seq);
    assert.equal(made.robot.dials, 1);
  });

  it('answers a question once with a tap that was made during the outage', async () => {
    const made = await system.started(link, { instant: true });
    const record = await system.gateway.wait(made, {
      kind: 'ask',
      targets: [leftHalf, rightHalf],
      picture: await system.picture(),
      timeoutMs: 30_000,
    });
    await until(async () => (await system.store.waits.read(made.id, record.number))?.armed);
    await redis.kill('SIGSTOP');
    try {
      await made.robot.tap(20, 20);
      await until(() => new Promise((resolve) => setTimeout(resolve, 1300, true)));
    } finally {
      await redis.kill('SIGCONT');
    }
    const outcome = await until(async () => (await system.store.waits.read(made.id, record.number))?.outcome);
    assert.equal(outcome.outcome, 'answered');
    await made.robot.until(({ screen, inputs }) => screen.question === null && inputs.acked === inputs.seq);
    assert.deepEqual(await system.eventNames(made), ['connected']);
    assert.equal((await system.gateway.command(made, { name: 'face', args: { emotion: 'happy' } })).t, 'ack');
  });

  it('refuses robots that dial with 503 and accepts them afterwards', async () => {
    const made = await system.robot(link);
    await redis.kill('SIGSTOP');
    try {
      void made.robot.start().catch(() => {});
      await made.robot.until(({ lastClosed }) => lastClosed?.status === 503);
    } finally {
      await redis.kill('SIGCONT');
    }
    await made.robot.until(({ online }) => online);
  });

  it('releases the leases of robots that disconnected during the outage afterwards', async () => {
    const made = await system.started(link);
    await redis.kill('SIGSTOP');
    try {
      await made.robot.stop();
      await until(() => link.app.sessionCount >= 0 && new Promise((resolve) => setTimeout(resolve, 1300, true)));
    } finally {
      await redis.kill('SIGCONT');
    }
    await until(async () => (await system.store.leases.find(made.id)).state === 'away');
  });

  it('releases a lease that was taken although the reply was lost, if the robot does not connect again', async () => {
    const { id, token } = await system.robot(link);
    const socket = new WebSocket(link.app.address, 'perch-link.v1', { headers: { authorization: `Bearer ${token}` } });
    await once(socket, 'open');
    await redis.kill('SIGSTOP');
    try {
      socket.send(JSON.stringify({ t: 'hello', v: [1], model: 'm', firmware: 'f', boot_id: 'b', dial: 1, reason: 'start', features: [] }));
      await once(socket, 'close');
    } finally {
      await redis.kill('SIGCONT');
    }
    await until(async () => (await system.store.connections.commands.hget(`perch:{${id}}:lease`, 'state')) === 'away', {
      what: 'the lease to be released',
    });
  });

  it('checks whether waits ended and robots were taken while its subscription was interrupted', async () => {
    const made = await system.started(link, { instant: true });
    const taken = await system.started(link, { reconnect: { minMs: 60_000, maxMs: 60_000 } });
    const record = await system.gateway.wait(made, {
      kind: 'ask',
      targets: [leftHalf, rightHalf],
      picture: await system.picture(),
      timeoutMs: 60_000,
    });
    await until(async () => (await system.store.waits.read(made.id, record.number))?.armed);
    const { commands } = system.store.connections;
    // Together: the robot is taken before the link can subscribe again.
    await commands
      .multi()
      .call('CLIENT', 'KILL', 'TYPE', 'pubsub')
      .hset(`perch:{${taken.id}}:lease`, 'session', 's-newer000', 'since', Math.round(system.store.clock.now()))
      .exec();
    await system.store.waits.settle(made.id, record.number, { outcome: 'cancelled' }, null);
    await system.gateway.send(made, {
      t: 'wait_end',
      robot: made.id,
      session: (await system.store.leases.find(made.id)).session,
      number: record.number,
    });
    await made.robot.until(({ screen }) => screen.question === null, { what: 'the question to be removed' });
    await taken.robot.until(({ lastClosed }) => lastClosed?.code === 4001);
  });
});
