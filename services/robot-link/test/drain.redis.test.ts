import { until } from '@perch/testkit';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { WebSocket } from 'ws';
import { leftHalf, rightHalf, useLinks } from './links-under-test.js';

describe('an instance that drains', () => {
  const system = useLinks();

  it('finishes commands in flight, sends queued ones back, and sends its robots away as moving with 4009', async () => {
    const link = await system.instance();
    const made = await system.started(link, { reconnect: { minMs: 20_000, maxMs: 20_000 }, random: () => 0.999 });
    made.robot.faults.ackLate(300);
    const replies = Array.from({ length: 6 }, () => system.gateway.command(made, { name: 'face', args: { emotion: 'happy' } }));
    await made.robot.until(({ commands }) => commands.length === 4);
    await link.stop();
    assert.deepEqual((await Promise.all(replies)).map(({ t }) => t).sort(), ['ack', 'ack', 'ack', 'ack', 'not_here', 'not_here']);
    await made.robot.until(({ lastClosed }) => lastClosed?.code === 4009);
    const lease = await system.store.leases.find(made.id);
    assert.ok(lease.state === 'moving' || lease.state === 'away', lease.state);
    assert.equal(link.app.sessionCount, 0);
  });

  it('queues commands for a robot that still has one in flight, and sends them back when the robot leaves', async () => {
    const link = await system.instance();
    const made = await system.started(link, { reconnect: { minMs: 20_000, maxMs: 20_000 }, random: () => 0.999 });
    made.robot.faults.ackLate(500);
    const first = system.gateway.command(made, { name: 'face', args: { emotion: 'happy' } });
    await made.robot.until(({ commands }) => commands.length === 1);
    const stopped = link.stop();
    const second = system.gateway.command(made, { name: 'face', args: { emotion: 'sad' } });
    assert.equal((await second).t, 'not_here');
    // A command sent again must find a robot that moves and be held for it, not a robot that is here and accepts nothing.
    assert.notEqual((await system.store.leases.find(made.id)).state, 'held');
    assert.equal((await first).t, 'ack');
    await stopped;
    assert.equal(made.robot.commands.length, 1);
  });

  it('sends the outcome of every command before the robot gets 4009', async () => {
    const link = await system.instance();
    const made = await system.started(link, { reconnect: { minMs: 20_000, maxMs: 20_000 }, random: () => 0.999 });
    made.robot.faults.ackLate(100);
    const { commands } = link.store.connections;
    const send = commands.sendCommand.bind(commands);
    let proceed: () => void = () => {};
    const redisGoesOn = new Promise<void>((resolve) => (proceed = resolve));
    const replies = Array.from({ length: 5 }, () => system.gateway.command(made, { name: 'face', args: { emotion: 'happy' } }));
    await made.robot.until(({ commands: received }) => received.length === 4);
    // Delay the replies of Redis.
    const redis = commands as unknown as { sendCommand: (...all: unknown[]) => Promise<unknown> };
    redis.sendCommand = (...all) => redisGoesOn.then(() => (send as (...all: unknown[]) => Promise<unknown>)(...all));
    const stopped = link.stop();
    try {
      await until(() => link.app.sessionCount === 0);
      await new Promise((resolve) => setTimeout(resolve, 50));
      assert.equal(made.robot.lastClosed, null);
    } finally {
      redis.sendCommand = send as never;
      proceed();
    }
    assert.deepEqual((await Promise.all(replies)).map(({ t }) => t).sort(), ['ack', 'ack', 'ack', 'ack', 'not_here']);
    await stopped;
    await made.robot.until(({ lastClosed }) => lastClosed?.code === 4009);
  });

  it('releases as moving the lease of a robot whose handshake was in progress when the drain began', async () => {
    const link = await system.instance();
    const made = await system.robot(link, { reconnect: { minMs: 20_000, maxMs: 20_000 }, random: () => 0.999 });
    const { leases } = link.store;
    let proceed: () => void = () => {};
    const taken = new Promise<void>((took) => {
      const take = leases.take.bind(leases);
      leases.take = async (...given) => {
        const answer = await take(...given);
        await new Promise<void>((resolve) => {
          proceed = resolve;
          took();
        });
        return answer;
      };
    });
    made.robot.start().catch(() => {});
    await taken;
    const stopped = link.stop();
    await made.robot.until(({ lastClosed }) => lastClosed?.code === 4009);
    proceed();
    await stopped;
    assert.equal(await system.store.connections.commands.hget(`perch:{${made.id}}:lease`, 'state'), 'moving');
    assert.equal(link.app.sessionCount, 0);
  });

  it('closes each of its robots with 4009 and accepts none of them again', async () => {
    const link = await system.instance({ drainMs: 2000 });
    const robots = await Promise.all(Array.from({ length: 20 }, () => system.started(link, { reconnect: { minMs: 20_000, maxMs: 20_000 } })));
    const firstCodes = robots.map(({ robot }) => new Promise<number>((resolve) => robot.on('closed', ({ code }) => resolve(code))));
    await link.stop();
    assert.deepEqual(
      await Promise.all(firstCodes),
      robots.map(() => 4009),
    );
    assert.equal(link.app.sessionCount, 0);
  });

  it('closes with 4009 a connection whose token was being looked up when the drain began, and does not wait for the lookup', async () => {
    const link = await system.instance();
    const { token } = await system.robot(link);
    const { robots } = link.store;
    let proceed: () => void = () => {};
    const lookup = new Promise<void>((lookedUp) => {
      const byToken = robots.byToken.bind(robots);
      robots.byToken = async (given) => {
        const known = await byToken(given);
        await new Promise<void>((resolve) => {
          proceed = resolve;
          lookedUp();
        });
        return known;
      };
    });
    const socket = new WebSocket(link.app.address, 'perch-link.v1', { headers: { authorization: `Bearer ${token}` } });
    const closed = once(socket, 'close');
    await lookup;
    const stopped = link.stop();
    await new Promise((resolve) => setImmediate(resolve));
    proceed();
    assert.equal((await closed)[0], 4009);
    await stopped;
  });

  it('accepts and serves robots between the announcement of the stop and the stop', async () => {
    const link = await system.instance();
    link.app.stopsSoon?.();
    const made = await system.started(link);
    assert.equal((await system.gateway.command(made, { name: 'face', args: { emotion: 'happy' } })).t, 'ack');
    assert.equal(made.robot.lastClosed, null);
    await made.robot.stop();
    await link.stop();
  });

  it('closes robots that dial while it drains with 4009, so that they dial again at once and without a back-off', async () => {
    const link = await system.instance();
    const other = await system.instance();
    const busy = await system.started(link, { reconnect: { minMs: 20_000, maxMs: 20_000 } });
    busy.robot.faults.ackLate(1500);
    const last = system.gateway.command(busy, { name: 'face', args: { emotion: 'happy' } });
    await busy.robot.until(({ commands }) => commands.length === 1);
    const stopped = link.stop();
    // A load balancer that has not noticed the drain routes the robot here first.
    let dials = 0;
    const balancer = createServer((inner) => {
      const outer = connect(Number(new URL(dials++ < 2 ? link.app.address : other.app.address).port), '127.0.0.1');
      inner.pipe(outer).pipe(inner);
      for (const end of [inner, outer]) end.on('error', () => {});
    }).listen(0, '127.0.0.1');
    await once(balancer, 'listening');
    const { port } = balancer.address() as AddressInfo;
    const late = await system.robot(`ws://127.0.0.1:${port}/robot/v1/link`, { reconnect: { minMs: 1000, maxMs: 60_000 } });
    const codes: (number | null)[] = [];
    late.robot.on('closed', ({ code, retryMs }) => void codes.push(retryMs !== null && retryMs <= 500 ? code : retryMs));
    await late.robot.start();
    assert.deepEqual(codes, [4009, 4009]);
    assert.equal((await last).t, 'ack', 'the drain continued meanwhile');
    await late.robot.stop();
    await stopped;
    balancer.close();
  });

  it('has a wait that arrives while a robot has a command in flight shown by the instance that takes the robot over', async () => {
    const link = await system.instance();
    const other = await system.instance();
    const made = await system.started(link, { reconnect: { minMs: 20_000, maxMs: 20_000 } });
    const picture = await system.picture();
    made.robot.faults.ackLate(1000);
    const before = system.gateway.command(made, { name: 'face', args: { emotion: 'happy' } });
    await made.robot.until(({ commands }) => commands.length === 1);
    const stopped = link.stop();
    const record = await system.gateway.wait(made, { kind: 'ask', targets: [leftHalf, rightHalf], picture });
    assert.equal((await before).t, 'ack');
    await stopped;
    assert.deepEqual(
      system.gateway.messages.filter(({ id }) => id === record.call),
      [],
      'not sent back, to be sent here again',
    );
    const again = system.again(made, other.app.address, { instant: true });
    await again.robot.start();
    await again.robot.until(({ screen }) => screen.question?.id === `w${record.number}`);
  });

  it('hands an open wait over to the instance that the robot moves to', async () => {
    const link = await system.instance();
    const other = await system.instance();
    const made = await system.started(link, { instant: true, reconnect: { minMs: 20_000, maxMs: 20_000 } });
    const record = await system.gateway.wait(made, { kind: 'ask', targets: [leftHalf, rightHalf], picture: await system.picture() });
    await until(async () => (await system.store.waits.read(made.id, record.number))?.armed);
    await link.stop();
    assert.equal((await system.store.waits.read(made.id, record.number))?.outcome, null);
    const again = system.again(made, other.app.address, { instant: true });
    await again.robot.start();
    await again.robot.until(({ screen }) => screen.question?.id === `w${record.number}`);
    await until(async () => (await system.store.waits.read(made.id, record.number))?.armed?.bootId === again.robot.bootId);
    await again.robot.tap(10, 10);
    const outcome = await until(async () => (await system.store.waits.read(made.id, record.number))?.outcome);
    assert.equal(outcome.outcome, 'answered');
  });
});
