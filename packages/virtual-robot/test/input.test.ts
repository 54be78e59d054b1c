/** Tests the raw input of people's actions, and that none is lost. */

import assert from 'node:assert/strict';
import { eventually, type LinkSession } from '@perch/link-server';
import { fastClock, withRobot } from './connected-robot.js';

async function inputs(session: LinkSession, count: number): Promise<Record<string, unknown>[]> {
  return eventually(() => session.of('in').length >= count && session.of('in'));
}

function plain(list: Record<string, unknown>[]): Record<string, unknown>[] {
  return list.map(({ t: _t, seq: _seq, ms: _ms, ...rest }) => rest);
}

describe('the raw input of a virtual robot', () => {
  it(
    'numbers input from 1, with times on the same clock as acks',
    withRobot({ clock: fastClock(1) }, async ({ robot, session }) => {
      await robot.tap(10, 20, { heldMs: 100 });
      await robot.longTouch(30, 40);
      const ack = await session.run('head.move', { yaw: 1 });
      const list = await inputs(session, 4);
      assert.deepEqual(plain(list), [
        { kind: 'touch_down', x: 10, y: 20 },
        { kind: 'touch_up', x: 10, y: 20, held_ms: 100 },
        { kind: 'touch_down', x: 30, y: 40 },
        { kind: 'touch_up', x: 30, y: 40, held_ms: 1200 },
      ]);
      assert.deepEqual(
        list.map(({ seq }) => seq),
        [1, 2, 3, 4],
      );
      const [down, up, , last] = list.map(({ ms }) => Number(ms)) as [number, number, number, number];
      assert.ok(up - down >= 100 && up - down < 200);
      assert.ok(Number(ack['ms']) >= last);
    }),
  );

  it(
    'takes real time unless instant is set',
    withRobot({ instant: false }, async ({ robot }) => {
      const began = performance.now();
      await robot.tap(1, 1, { heldMs: 60 });
      assert.ok(performance.now() - began >= 55);
    }),
  );

  it(
    'reports head touches by zone, with their length or direction',
    withRobot({}, async ({ robot, session }) => {
      await robot.pat();
      await robot.pet();
      await robot.stroke('back');
      assert.deepEqual(plain(await inputs(session, 7)), [
        { kind: 'head_down', zone: 1 },
        { kind: 'head_up', zone: 1, held_ms: 200 },
        { kind: 'head_down', zone: 1 },
        { kind: 'head_up', zone: 1, held_ms: 1500 },
        { kind: 'head_down', zone: 0 },
        { kind: 'head_swipe', zone: 2, dir: 'back' },
        { kind: 'head_up', zone: 2, held_ms: 450 },
      ]);
    }),
  );

  it(
    'reports proximity every 100 ms on its own clock, until a second after the last change',
    withRobot({}, async ({ robot, session }) => {
      await robot.comeNear();
      const list = await inputs(session, 15);
      for (const [index, { ms }] of list.entries()) {
        const before = list[index - 1];
        if (before) assert.ok(Number(ms) - Number(before['ms']) >= 99);
      }
      assert.ok(list.slice(-10).every(({ raw }) => Number(raw) >= 300));
      await robot.goAway();
      assert.ok((await inputs(session, 30)).slice(-10).every(({ raw }) => Number(raw) < 200));
    }),
  );

  it(
    'reports tags, remotes, power key and cable',
    withRobot({}, async ({ robot, session }) => {
      robot.holdTag({ uid: '04a1', uri: 'https://example.org' });
      robot.takeTag();
      assert.equal(robot.takeTag(), null);
      robot.holdTag({ uid: '04a2', type: 'MIFARE' });
      await robot.pressRemote({ address: 4, command: 8, repeats: 2 });
      await robot.pressRemote({ raw: [300, 400, 300] });
      await robot.pressPower({ heldMs: 1500 });
      robot.unplug();
      robot.plug();
      const list = plain(await inputs(session, 10));
      assert.deepEqual(
        list.map(({ kind }) => kind),
        ['nfc_in', 'nfc_out', 'nfc_in', 'ir', 'ir', 'ir', 'ir', 'power_key', 'usb', 'usb'],
      );
      assert.equal(Buffer.from(String(list[0]?.['ndef_b64']), 'base64').toString('latin1').slice(5), 'example.org');
      assert.deepEqual(list[2], { kind: 'nfc_in', uid: '04a2', type: 'MIFARE' });
      assert.deepEqual(
        list.slice(3, 7).map((ir) => (ir['raw_us'] as number[]).length),
        [67, 3, 3, 3],
      );
      assert.deepEqual(list.slice(8), [
        { kind: 'usb', present: false },
        { kind: 'usb', present: true },
      ]);
    }),
  );

  it(
    'reports motion as bursts of samples',
    withRobot({}, async ({ robot, session }) => {
      robot.shake();
      robot.lift();
      robot.imuBurst({ hz: 10, samples: [[0, 0, 1]] });
      const list = await inputs(session, 3);
      const [shaken] = list.map(({ samples }) => samples as unknown[]);
      assert.ok(shaken && shaken.length >= 50);
      assert.deepEqual(plain(list)[2], { kind: 'imu_burst', hz: 10, samples: [[0, 0, 1]] });
    }),
  );

  it(
    'keeps input until it is acked, and resends it in order after a reconnect',
    withRobot({}, async ({ server, robot, session }) => {
      for (let index = 0; index < 50; index += 1) await robot.tap(index, index);
      await inputs(session, 100);
      session.send({ t: 'in_ack', seq: 10 });
      await robot.until((it) => it.inputs.acked === 10);
      session.socket.terminate();
      await robot.until(({ online }) => !online);
      await robot.tap(1, 1);
      const second = await server.session(2);
      assert.deepEqual(
        (await inputs(second, 92)).map(({ seq }) => seq),
        Array.from({ length: 92 }, (_, index) => index + 11),
      );
      assert.deepEqual(second.of('in')[0], session.of('in')[10], 'the very same message');
    }),
  );

  it(
    'does not resend input that the welcome acknowledges',
    withRobot({}, async ({ server, robot, session }) => {
      await robot.tap(1, 1);
      await robot.tap(2, 2);
      server.marks.set(robot.bootId, 3);
      session.socket.terminate();
      const second = await server.session(2);
      await second.run('head.move', { yaw: 1 });
      assert.deepEqual(
        second.of('in').map(({ seq }) => seq),
        [4],
      );
    }),
  );

  it(
    'drops the oldest input beyond the limit, and keeps at least 64',
    withRobot({}, async ({ robot }) => {
      for (let index = 0; index < 300; index += 1) robot.touchDown(1, 1);
      assert.equal(robot.inputs.unacked.length, 256);
      assert.equal(robot.inputs.unacked.at(-1)?.seq, 300);
    }),
  );

  it(
    'numbers input from 1 again after a restart',
    withRobot({}, async ({ server, robot }) => {
      await robot.tap(1, 1);
      robot.restart();
      const second = await server.session(2);
      await robot.tap(2, 2);
      assert.deepEqual(
        (await inputs(second, 2)).map(({ seq }) => seq),
        [1, 2],
      );
    }),
  );
});
