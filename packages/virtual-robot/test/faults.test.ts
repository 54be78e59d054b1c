/** Tests that each fault has its documented effect, because tests of the service rely on it. */

import assert from 'node:assert/strict';
import { VirtualRobot } from '../src/index.js';
import { eventually, LinkServer } from '@perch/link-server';
import { bytes, withRobot } from './connected-robot.js';

describe('the faults of a virtual robot', () => {
  it(
    'executes the command and never acks it, nor its repeats, with neverAck',
    withRobot({ faults: { neverAck: ['head.move'] } }, async ({ robot, session }) => {
      session.cmd('head.move', { yaw: 9 }, { id: 'q' });
      session.cmd('head.move', { yaw: 9 }, { id: 'q' });
      await session.run('face', { emotion: 'sad' });
      assert.deepEqual([robot.head.yaw, session.acks('q'), robot.commands[0]?.ack?.ok], [9, [], true]);
    }),
  );

  it(
    'delays, repeats and replaces acks with ackLate, ackTwice and nack',
    withRobot({}, async ({ robot, session }) => {
      robot.faults.ackLate(50);
      const began = performance.now();
      await session.run('head.move', { yaw: 9 });
      assert.ok(performance.now() - began >= 45);
      robot.faults.none();
      robot.faults.ackTwice();
      const twice = session.cmd('head.move', { yaw: 8 });
      await eventually(() => session.acks(twice).length === 2);
      robot.faults.none();
      robot.faults.nack('busy', ['head.move']);
      assert.equal((await session.run('head.move', { yaw: 7 }))['code'], 'busy');
      assert.equal((await session.run('face', { emotion: 'sad' }))['ok'], true);
      assert.equal(robot.head.yaw, 8);
    }),
  );

  it(
    'treats a valid picture as corrupt with wrongCrc',
    withRobot({ faults: { wrongCrc: true } }, async ({ robot, session }) => {
      assert.equal((await session.ack(session.show('card', 'k', bytes(100))))['code'], 'hardware');
      assert.deepEqual([robot.screen.card, robot.violations], [null, []]);
    }),
  );

  it(
    'terminates without a close frame and reconnects with dropConnection',
    withRobot({}, async ({ server, robot, session }) => {
      robot.faults.dropConnection();
      await eventually(() => session.closeCode === 1006);
      assert.equal((await server.session(2)).hello?.['dial'], 2);
    }),
  );

  it(
    'neither reads nor sends with halfOpen, until it resumes',
    withRobot({ welcome: { ping_ms: 10 } }, async ({ robot, session }) => {
      robot.faults.halfOpen();
      const id = session.cmd('head.move', { yaw: 5 });
      await robot.tap(1, 1);
      const frozenAt = robot.ms;
      await robot.until(({ ms }) => ms > frozenAt + 60);
      assert.deepEqual([session.acks(id), session.of('in')], [[], []]);
      robot.faults.resume();
      assert.equal((await session.ack(id))['ok'], true);
      robot.faults.halfOpen();
      await robot.stop();
      await eventually(() => session.closeCode === 1006);
    }),
  );

  it(
    'leaves the old connection open and opens another one with redial',
    withRobot({}, async ({ server, robot, session }) => {
      robot.faults.redial();
      const second = await server.session(2);
      assert.deepEqual([second.hello?.['dial'], session.closeCode], [2, null]);
      await robot.until(({ session: id }) => id === 's-2');
      session.socket.terminate();
      assert.equal((await second.run('head.move', { yaw: 2 }))['ok'], true);
      assert.equal(robot.online, true);
    }),
  );

  it(
    "sends but does not read with stopReading, so that the service's buffer fills up",
    withRobot({}, async ({ robot, session }) => {
      robot.faults.stopReading();
      const filler = JSON.stringify({ t: 'filler', x: 'x'.repeat(15_000) });
      for (let index = 0; index < 2000 && session.socket.bufferedAmount < 1_000_000; index += 1) {
        session.socket.send(filler);
        await new Promise((resolve) => setImmediate(resolve));
      }
      assert.ok(session.socket.bufferedAmount >= 1_000_000);
      await robot.tap(1, 1);
      await eventually(() => session.of('in').length === 2);
      robot.faults.resume();
      await eventually(() => session.socket.bufferedAmount === 0);
    }),
  );

  it(
    'sends garbage, oversized frames, floods and raw data',
    withRobot({ sensors: false }, async ({ robot, session }) => {
      const raw: { length: number; isBinary: boolean }[] = [];
      session.socket.removeAllListeners('message');
      session.socket.on('message', (data: Buffer, isBinary: boolean) => raw.push({ length: data.length, isBinary }));
      robot.faults.sendGarbage('text');
      robot.faults.sendGarbage('binary');
      robot.faults.oversize();
      robot.faults.sendRaw('x');
      robot.faults.flood(100);
      await eventually(() => raw.length === 104);
      assert.deepEqual([raw[1]?.isBinary, (raw[2]?.length ?? 0) > 16_384, raw[3]?.length], [true, true, 1]);
    }),
  );

  it('sends no hello with noHello, and overrides fields of it with hello', async () => {
    const server = await new LinkServer().start();
    const silent = new VirtualRobot({ url: server.url, token: 't', faults: { noHello: true } });
    silent.start().catch(() => undefined);
    const session = await eventually(() => server.sessions[0]);
    await eventually(() => session.socket.readyState === 1);
    const other = new VirtualRobot({ url: server.url, token: 't', faults: { hello: { v: [2], model: 'odd' } } });
    await other.start();
    const second = await server.session(2);
    assert.deepEqual([second.hello?.['v'], second.hello?.['model'], session.messages], [[2], 'odd', []]);
    await silent.stop();
    await other.stop();
    await server.stop();
  });
});
