import assert from 'node:assert/strict';
import fc from 'fast-check';
import { crc32, encodeFrame } from '../src/index.js';
import { IncomingMedia, IncomingPicture } from '../src/body/incoming-media.js';
import { eventually } from '@perch/link-server';
import { bytes, withRobot } from './connected-robot.js';

describe('the screen of a virtual robot', () => {
  it(
    'shows a picture when its last part has arrived',
    withRobot({}, async ({ robot, session }) => {
      const picture = bytes(20_000);
      const ack = await session.ack(session.show('card', 'k1', picture));
      assert.equal(ack['ok'], true);
      assert.deepEqual(Buffer.from(robot.screen.card?.picture ?? []), Buffer.from(picture));
      assert.deepEqual([robot.screen.card?.id, robot.screen.card?.bytes, robot.screen.card?.format], ['k1', 20_000, 'jpeg']);
      assert.deepEqual(robot.violations, []);
    }),
  );

  it(
    'shows a question above the card, and the card again afterwards',
    withRobot({}, async ({ robot, session }) => {
      await session.ack(session.show('card', 'k1', bytes(50)));
      await session.ack(session.show('question', 'w7', bytes(60)));
      assert.deepEqual([robot.screen.card?.id, robot.screen.question?.id], ['k1', 'w7']);
      await session.run('screen.clear', { layer: 'question', id: 'w6' });
      assert.equal(robot.screen.question?.id, 'w7', 'another id clears nothing');
      await session.run('screen.clear', { layer: 'question', id: 'w7' });
      assert.deepEqual([robot.screen.card?.id, robot.screen.question], ['k1', null]);
    }),
  );

  it(
    'removes a question after show_ms',
    withRobot({}, async ({ robot, session }) => {
      const gone: string[] = [];
      robot.on('clear', ({ id, why }) => gone.push(`${id} ${why}`));
      await session.ack(session.show('question', 'w1', bytes(50), { show_ms: 50 }));
      await session.ack(session.show('question', 'w2', bytes(50), { show_ms: 100 }));
      await robot.until(({ screen }) => screen.question === null);
      assert.deepEqual(gone, ['w1 replaced', 'w2 expired']);
    }),
  );

  it(
    'reports its screen in a new hello, and shows nothing after a restart',
    withRobot({}, async ({ server, robot, session }) => {
      await session.ack(session.show('card', 'k1', bytes(50)));
      await session.ack(session.show('question', 'w1', bytes(50)));
      session.socket.terminate();
      const second = await server.session(2);
      assert.deepEqual(second.hello?.['showing'], { card: 'k1', question: 'w1', emotion: 'neutral', view: 'face' });
      robot.restart();
      const third = await server.session(3);
      assert.deepEqual(third.hello?.['showing'], { card: null, question: null, emotion: 'neutral', view: 'face' });
    }),
  );

  it(
    'nacks a picture whose parts have another checksum, offset or length than announced',
    withRobot({}, async ({ robot, session }) => {
      const picture = bytes(5000);
      const announce = { layer: 'card', id: 'k', format: 'jpeg', bytes: 5000, crc32: crc32(picture) };
      const wrongSum = session.cmd('screen.show', { ...announce, stream: 1, crc32: 1 });
      session.parts('picture', 1, picture);
      assert.equal((await session.ack(wrongSum))['code'], 'bad_args');
      const wrongOffset = session.cmd('screen.show', { ...announce, stream: 2 });
      session.part('picture', 2, picture, 4096, 5000);
      assert.equal((await session.ack(wrongOffset))['code'], 'bad_args');
      const wrongKind = session.cmd('screen.show', { ...announce, stream: 3 });
      session.part('audio', 3, picture, 0, 4096);
      assert.equal((await session.ack(wrongKind))['code'], 'bad_args');
      assert.equal(robot.screen.card, null);
      assert.ok(robot.violations.length >= 3);
    }),
  );

  it(
    'records a violation for unannounced and oversized parts',
    withRobot({}, async ({ robot, session }) => {
      session.part('picture', 77, bytes(10), 0, 10);
      const picture = bytes(4097);
      const id = session.cmd('screen.show', { layer: 'card', id: 'k', stream: 4, format: 'jpeg', bytes: 4097, crc32: crc32(picture) });
      session.part('picture', 4, picture, 0, 4097);
      await session.ack(id);
      assert.equal(robot.violations.length, 2);
    }),
  );

  it(
    'discards an incomplete picture when the connection closes, and accepts the repeated command with the whole picture',
    withRobot({}, async ({ server, robot, session }) => {
      const picture = bytes(9000);
      const args = { layer: 'card', id: 'k', stream: 8, format: 'jpeg', bytes: 9000, crc32: crc32(picture) };
      session.cmd('screen.show', args, { id: 'x' });
      session.part('picture', 8, picture, 0, 4096);
      await robot.until(({ commands }) => commands[0]?.outcome === 'running');
      session.socket.terminate();
      const second = await server.session(2);
      await eventually(() => robot.commands[0]?.outcome === 'abandoned');
      second.cmd('screen.show', args, { id: 'x' });
      second.parts('picture', 8, picture);
      assert.equal((await second.ack('x'))['ok'], true);
      assert.equal(robot.screen.card?.id, 'k');
      assert.deepEqual(robot.violations, []);
    }),
  );

  it(
    'acks the repeat of a shown picture without drawing it again, with or without parts',
    withRobot({}, async ({ robot, session }) => {
      let drawn = 0;
      robot.on('picture', () => (drawn += 1));
      const picture = bytes(100);
      const args = { layer: 'card', id: 'k', stream: 8, format: 'jpeg', bytes: 100, crc32: crc32(picture) };
      for (let times = 1; times <= 2; times += 1) {
        session.cmd('screen.show', args, { id: 'x' });
        session.parts('picture', 8, picture);
        await eventually(() => session.acks('x').length === times);
      }
      await session.run('head.move', { yaw: 1 });
      assert.deepEqual([drawn, robot.violations], [1, []]);
    }),
  );

  it('assembles any picture, however it is split and interleaved with another', async () => {
    const cut = fc.array(fc.integer({ min: 1, max: 4096 }), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(cut, cut, fc.array(fc.boolean()), async (one, two, turns) => {
        const violations: string[] = [];
        const media = new IncomingMedia(4096, (what) => violations.push(what));
        const streams = [one, two].map((sizes, stream) => {
          const whole = bytes(
            sizes.reduce((sum, size) => sum + size, 0),
            stream + 1,
          );
          const incoming = new IncomingPicture({ format: 'png', bytes: whole.byteLength, crc32: crc32(whole) });
          media.expect(stream, incoming);
          let offset = 0;
          const frames = sizes.map((size) => {
            const payload = whole.subarray(offset, offset + size);
            const frame = encodeFrame({ kind: 'picture', stream, offset, first: offset === 0, last: offset + size === whole.byteLength, payload });
            offset += size;
            return frame;
          });
          return { whole, incoming, frames };
        });
        const queues = streams.map(({ frames }) => [...frames]);
        for (const turn of turns) {
          const frame = queues[turn ? 1 : 0]?.shift();
          if (frame) media.take(frame);
        }
        for (const frame of queues.flat()) media.take(frame);
        for (const { whole, incoming } of streams) assert.deepEqual((await incoming.whole).picture, whole);
        assert.deepEqual(violations, []);
      }),
      { numRuns: 50 },
    );
  });
});
