import assert from 'node:assert/strict';
import { crc32 } from '../src/index.js';
import { eventually } from '@perch/link-server';
import { bytes, withRobot } from './connected-robot.js';

const pixels = Array.from({ length: 12 }, (_, index) => `#0000${(index + 16).toString(16)}`);

describe('commands to a virtual robot', () => {
  it(
    'clamps the head and returns the target of head.move',
    withRobot({}, async ({ robot, session }) => {
      const ack = await session.run('head.move', { yaw: -500, pitch: 2 });
      assert.deepEqual(ack['result'], { yaw: -128, pitch: 5 });
      assert.ok(Number.isInteger(ack['ms']));
      assert.deepEqual(robot.head, { yaw: -128, pitch: 5, moving: true });
      assert.deepEqual((await session.run('head.move', { pitch: 90 }))['result'], { yaw: -128, pitch: 85 });
      await session.run('head.gesture', { name: 'home' });
      assert.equal(robot.head.yaw, 0);
      await robot.until(({ head }) => !head.moving);
    }),
  );

  it(
    'restores the last pixels when an LED effect ends',
    withRobot({}, async ({ robot, session }) => {
      await session.run('leds.set', { pixels });
      await session.run('leds.effect', { name: 'blink', color: '#FF0000', speed: 1, seconds: 0.05 });
      assert.deepEqual([robot.leds.effect?.name, robot.leds.effect?.color], ['blink', '#ff0000']);
      await robot.until(({ leds }) => leds.effect === null);
      assert.deepEqual(robot.leds.pixels, pixels);
    }),
  );

  it(
    'runs an effect of 0 seconds until the next leds command',
    withRobot({}, async ({ robot, session }) => {
      const palette = pixels.slice(0, 6);
      await session.run('leds.effect', { name: 'rainbow', palette, speed: 2, seconds: 0 });
      assert.deepEqual(robot.leds.effect, { name: 'rainbow', color: null, palette, speed: 2, seconds: 0 });
      assert.equal(
        (await session.run('leds.effect', { name: 'rainbow', palette, speed: 2, seconds: 1e308 }))['ok'],
        true,
        'the contract names no longest',
      );
      await session.run('leds.set', { pixels });
      assert.equal(robot.leds.effect, null);
    }),
  );

  it(
    'sets the face, and shows a bubble for its seconds',
    withRobot({}, async ({ robot, session }) => {
      await session.run('face', { emotion: 'happy' });
      await session.run('face', { view: 'readings' });
      assert.deepEqual(robot.face, { emotion: 'happy', view: 'readings' });
      await session.run('bubble', { text: 'hi', seconds: 0.05 });
      assert.equal(robot.bubble?.text, 'hi');
      await robot.until(({ bubble }) => bubble === null);
    }),
  );

  it(
    'nacks a bubble while a card covers the face, without recording a violation',
    withRobot({}, async ({ robot, session }) => {
      await session.ack(session.show('card', 'k1', bytes(100)));
      assert.equal((await session.run('bubble', { text: 'hi', seconds: 1 }))['code'], 'card_showing');
      await session.run('screen.clear', { layer: 'card' });
      assert.equal((await session.run('bubble', { text: 'hi', seconds: 1 }))['ok'], true);
      assert.deepEqual(robot.violations, []);
    }),
  );

  it(
    'nacks unknown and invalid commands, and records a violation',
    withRobot({ features: ['screen', 'head'] }, async ({ robot, session }) => {
      assert.equal((await session.run('fly'))['code'], 'unknown');
      assert.equal((await session.run('leds.set', { pixels }))['code'], 'unknown');
      assert.equal((await session.run('head.move', { yaw: 'left' }))['code'], 'bad_args');
      assert.equal(
        (await session.run('screen.show', { layer: 'question', id: 'w1', stream: 1, format: 'jpeg', bytes: 10, crc32: 0 }))['code'],
        'bad_args',
      );
      assert.equal(
        (await session.run('screen.show', { layer: 'card', id: 'k', stream: 2, format: 'jpeg', bytes: 98_305, crc32: 0 }))['code'],
        'bad_args',
      );
      assert.equal(robot.violations.length, 5);
    }),
  );

  it(
    'executes a repeated command once, and sends the same ack again',
    withRobot({}, async ({ robot, session }) => {
      session.cmd('head.move', { yaw: 10 }, { id: 'same' });
      await session.ack('same');
      await session.run('head.move', { yaw: 20 });
      session.cmd('head.move', { yaw: 10 }, { id: 'same' });
      const [first, second] = await eventually(() => session.acks('same').length === 2 && session.acks('same'));
      assert.deepEqual(first, second);
      assert.equal(robot.head.yaw, 20);
      assert.equal(robot.commands.find(({ id }) => id === 'same')?.repeats, 1);
    }),
  );

  it(
    'remembers the last 32 commands across a reconnect',
    withRobot({}, async ({ server, robot, session }) => {
      for (let index = 0; index < 33; index += 1) await session.ack(session.cmd('head.move', { yaw: index }, { id: `n${index}` }));
      session.socket.terminate();
      const second = await server.session(2);
      second.cmd('head.move', { yaw: 1 }, { id: 'n1' });
      assert.deepEqual(await second.ack('n1'), session.acks('n1')[0]);
      assert.equal(robot.head.yaw, 32);
      second.cmd('head.move', { yaw: 0 }, { id: 'n0' });
      await second.ack('n0');
      assert.equal(robot.head.yaw, 0);
    }),
  );

  it(
    'executes commands in order: one behind a picture waits for it',
    withRobot({}, async ({ robot, session }) => {
      const picture = bytes(5000);
      const show = session.cmd('screen.show', { layer: 'card', id: 'k', stream: 5, format: 'png', bytes: 5000, crc32: crc32(picture) });
      const clear = session.cmd('screen.clear', { layer: 'card' });
      session.part('picture', 5, picture, 0, 4096);
      await robot.until(({ commands }) => commands.length === 2);
      assert.equal(robot.commands[1]?.outcome, 'waiting');
      session.part('picture', 5, picture, 4096, 5000);
      await session.ack(clear);
      assert.deepEqual(
        session.of('ack').map(({ id }) => id),
        [show, clear],
      );
      assert.equal(robot.screen.card, null);
    }),
  );

  it(
    'drops a command without an ack when it is not begun within its ttl',
    withRobot({ faults: { beginLateMs: 40 } }, async ({ robot, session }) => {
      session.cmd('head.move', { yaw: 10 }, { id: 'late', ttl: 20 });
      session.cmd('head.move', { yaw: 20 }, { id: 'good', ttl: 2000 });
      await session.ack('good');
      assert.equal(robot.commands[0]?.outcome, 'late');
      assert.deepEqual(session.acks('late'), []);
    }),
  );

  it(
    'abandons commands that have not begun when the connection closes',
    withRobot({ faults: { beginLateMs: 60 } }, async ({ server, robot, session }) => {
      session.cmd('head.move', { yaw: 10 }, { id: 'lost' });
      await robot.until(({ commands }) => commands.length === 1);
      session.socket.terminate();
      const second = await server.session(2);
      assert.equal(robot.commands[0]?.outcome, 'abandoned');
      second.cmd('head.move', { yaw: 30 }, { id: 'lost' });
      await second.ack('lost');
      assert.equal(robot.head.yaw, 30);
    }),
  );

  it(
    'records a violation from the fifth command in flight on',
    withRobot({ faults: { ackLateMs: 100 } }, async ({ robot, session }) => {
      for (let index = 0; index < 4; index += 1) session.cmd('head.move', { yaw: index });
      await robot.until(({ commands }) => commands.length === 4);
      assert.deepEqual(robot.violations, []);
      session.cmd('head.move', { yaw: 4 });
      await robot.until(({ violations }) => violations.length === 1);
    }),
  );
});

describe("a virtual robot's own commands", () => {
  it(
    'changes brightness, screen and power LED, and sends infrared, by its own commands',
    withRobot({}, async ({ robot, session }) => {
      await session.run('robot', { command: 'brightness', args: { pct: 30 } });
      await session.run('robot', { command: 'screen', args: { on: false } });
      await session.run('robot', { command: 'power_led', args: { on: false } });
      assert.deepEqual((await session.run('robot', { command: 'ir_send', args: { address: 4, command: 8 } }))['result'], { sent: true });
      const { brightness, screenOn, powerLed, irSent } = robot.own;
      assert.deepEqual([brightness, screenOn, powerLed, irSent], [30, false, false, [{ address: 4, command: 8 }]]);
      assert.deepEqual(robot.violations, []);
    }),
  );

  it(
    'nacks own commands that are not for programs, and records a violation',
    withRobot({}, async ({ robot, session }) => {
      const names = ['restart', 'app_start', 'camera_stream', 'mic_stream', 'wifi_set', 'settings_read', 'not_declared'];
      for (const command of names) assert.equal((await session.run('robot', { command, args: {} }))['code'], 'unknown');
      assert.equal(robot.violations.length, names.length);
    }),
  );

  it(
    'places a sticker from a picture in parts, which a tap then hits',
    withRobot({}, async ({ robot, session }) => {
      const png = bytes(64);
      png.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 0, 40, 0, 0, 0, 20]);
      const id = session.cmd('robot', {
        command: 'sticker',
        args: { id: 'star', x: 100, y: 50, tappable: true, image: { stream: 9, format: 'png', bytes: 64, crc32: crc32(png) } },
      });
      session.parts('picture', 9, png);
      assert.equal((await session.ack(id))['ok'], true);
      const { w, h } = robot.own.stickers.get('star') ?? {};
      assert.deepEqual([w, h], [40, 20]);
      await robot.tap(139, 69);
      await robot.tap(141, 69);
      const ups = await eventually(
        () => session.of('in').filter(({ kind }) => kind === 'touch_up').length === 2 && session.of('in').filter(({ kind }) => kind === 'touch_up'),
      );
      assert.deepEqual(
        ups.map(({ sprite }) => sprite),
        ['star', undefined],
      );
      await session.ack(session.show('card', 'k', bytes(50)));
      await robot.tap(110, 60);
      const covered = await eventually(() => session.of('in').filter(({ kind }) => kind === 'touch_up')[2]);
      assert.equal(covered['sprite'], undefined, 'a card lies over the sticker');
      assert.deepEqual(robot.violations, []);
    }),
  );

  it(
    'runs an own command that the test defines',
    withRobot(
      { commands: [{ name: 'dance', description: 'd', class: 'program', args: { type: 'object' }, run: (args) => ({ danced: args['steps'] }) }] },
      async ({ session }) => {
        const declared = session.hello?.['commands'];
        assert.deepEqual(declared, [{ name: 'dance', description: 'd', class: 'program', args: { type: 'object' } }]);
        assert.deepEqual((await session.run('robot', { command: 'dance', args: { steps: 3 } }))['result'], { danced: 3 });
      },
    ),
  );
});
