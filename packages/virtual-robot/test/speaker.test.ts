import assert from 'node:assert/strict';
import { eventually, type LinkSession } from '@perch/link-server';
import { bytes, fastClock, withRobot } from './connected-robot.js';

const second = 32_000;
const clock = fastClock(4);

function play(session: LinkSession, stream: number, size: number, more = {}): string {
  return session.cmd('audio.play', { stream, id: `p${stream}`, format: 'pcm_s16le', rate: 16_000, bytes: size, ...more });
}

describe('the speaker of a virtual robot', () => {
  it(
    'plays a short sound when its last part has arrived, and reports its end',
    withRobot({ clock }, async ({ robot, session }) => {
      const pcm = bytes(second / 2);
      const id = play(session, 3, pcm.byteLength, { volume: 70 });
      session.parts('audio', 3, pcm, 0, 8192);
      await robot.until(({ playing }) => playing?.received === 8192);
      assert.deepEqual(session.acks(id), [], 'acked at the first sample only');
      const beforeStart = clock.now();
      session.parts('audio', 3, pcm, 8192);
      assert.equal((await session.ack(id))['ok'], true);
      const [done] = await eventually(() => session.of('play_done').length > 0 && session.of('play_done'));
      assert.deepEqual(done, { t: 'play_done', stream: 3, reason: 'end' });
      assert.ok(clock.now() - beforeStart >= 500, 'half a second of sound takes half a second');
      assert.deepEqual([robot.volume, Buffer.from(robot.sounds[0]?.pcm ?? []).equals(Buffer.from(pcm))], [70, true]);
      assert.deepEqual(robot.violations, []);
    }),
  );

  it(
    'starts with one second buffered, reports flow, and never grants more credit than free buffer',
    withRobot({ clock }, async ({ robot, session }) => {
      const pcm = bytes(6 * second);
      const id = play(session, 4, pcm.byteLength);
      let sent = 0;
      let credit = 98_304;
      while (sent < pcm.byteLength) {
        const to = Math.min(credit, pcm.byteLength);
        session.parts('audio', 4, pcm, sent, to);
        sent = to;
        const flow = await eventually(
          () =>
            session.of('flow').findLast(({ received, free }) => Number(received) + Number(free) > credit) ??
            (sent === pcm.byteLength ? { received: 0, free: 0 } : undefined),
        );
        credit = Math.max(credit, Number(flow['received']) + Number(flow['free']));
      }
      await session.ack(id);
      await eventually(() => session.of('play_done').length === 1);
      const played = session.of('flow').map(({ played_ms }) => Number(played_ms));
      for (const [index, ms] of played.entries()) assert.ok(index === 0 || ms >= (played[index - 1] as number));
      assert.ok(played.length >= 6000 / 250 / 2, `${played.length} flow reports in 6 s`);
      for (const { received, free } of session.of('flow'))
        assert.ok(Number(free) >= 0 && Number(free) <= 98_304 && Number(received) <= pcm.byteLength);
      assert.deepEqual([session.of('play_done')[0]?.['reason'], robot.violations], ['end', []]);
    }),
  );

  it(
    'records a violation for data beyond its credit',
    withRobot({ clock, faults: { noFlow: true } }, async ({ robot, session }) => {
      const pcm = bytes(120_000);
      play(session, 5, pcm.byteLength);
      session.parts('audio', 5, pcm, 0, 98_304);
      await robot.until(({ playing }) => playing?.received === 98_304);
      assert.deepEqual(robot.violations, []);
      session.parts('audio', 5, pcm, 98_304, 100_000);
      await robot.until(({ violations }) => violations.length === 1);
    }),
  );

  it(
    'ends with an underrun when the rest does not arrive',
    withRobot({ clock }, async ({ session }) => {
      const pcm = bytes(2 * second);
      play(session, 6, pcm.byteLength);
      session.parts('audio', 6, pcm, 0, second);
      const [done] = await eventually(() => session.of('play_done').length > 0 && session.of('play_done'));
      assert.equal(done?.['reason'], 'underrun');
    }),
  );

  it(
    'stops on command, and when another sound replaces it',
    withRobot({ clock }, async ({ robot, session }) => {
      const pcm = bytes(2 * second);
      const first = play(session, 7, pcm.byteLength);
      session.parts('audio', 7, pcm);
      await session.ack(first);
      const next = play(session, 8, pcm.byteLength);
      session.parts('audio', 8, pcm);
      await session.ack(next);
      await session.run('audio.stop');
      assert.deepEqual(
        session.of('play_done').map(({ stream, reason }) => [stream, reason]),
        [
          [7, 'stopped'],
          [8, 'stopped'],
        ],
      );
      assert.equal(robot.playing, null);
      assert.deepEqual(robot.violations, []);
    }),
  );

  it(
    'acks a sound that was replaced before it began',
    withRobot({ clock }, async ({ session }) => {
      const pcm = bytes(2 * second);
      const first = play(session, 9, pcm.byteLength);
      session.parts('audio', 9, pcm, 0, 4096);
      const next = play(session, 10, pcm.byteLength);
      session.parts('audio', 10, pcm);
      const ack = await session.ack(first);
      assert.deepEqual([ack['ok'], ack['result']], [true, { replaced: true }]);
      assert.equal((await session.ack(next))['ok'], true);
    }),
  );

  it(
    'continues across a reconnect, and reports the received bytes',
    withRobot({ clock }, async ({ server, robot, session }) => {
      const pcm = bytes(4 * second);
      const id = play(session, 11, pcm.byteLength);
      session.parts('audio', 11, pcm, 0, 90_112);
      await session.ack(id);
      session.socket.terminate();
      const next = await server.session(2);
      assert.deepEqual(next.hello?.['playing'], { stream: 11, id: 'p11', received: 90_112 });
      const flow = await eventually(() => next.of('flow').find(({ received, free }) => Number(received) + Number(free) >= pcm.byteLength));
      assert.equal(flow['stream'], 11);
      next.parts('audio', 11, pcm, 90_112);
      const [done] = await eventually(() => next.of('play_done').length > 0 && next.of('play_done'));
      assert.equal(done?.['reason'], 'end');
      assert.ok(Buffer.from(robot.sounds[0]?.pcm ?? []).equals(Buffer.from(pcm)));
      assert.deepEqual(robot.violations, []);
    }),
  );

  it(
    'keeps its volume across sounds, and stops playing at a restart',
    withRobot({ clock }, async ({ server, robot, session }) => {
      await session.run('audio.volume', { pct: 12 });
      assert.equal(robot.volume, 12);
      const pcm = bytes(2 * second);
      const id = play(session, 12, pcm.byteLength);
      session.parts('audio', 12, pcm);
      await session.ack(id);
      robot.restart();
      assert.equal((await server.session(2)).hello?.['playing'], undefined);
    }),
  );
});
