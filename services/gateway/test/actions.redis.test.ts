import assert from 'node:assert/strict';
import { callsOf, pngBase64, useGateway, useOwner } from './gateway-under-test.js';
import { hello } from './test-link.js';
import { ledColor, ledMaDefault, limitedColors } from '../src/media/led-color.js';

describe('actions', () => {
  const system = useGateway();
  const owner = useOwner(system);

  const { ok, refused } = callsOf(system, owner);

  it('say sends the text, and also a rendered bubble to a robot with bubble_picture', async () => {
    await ok('say', { text: 'Hi' });
    assert.deepEqual(system.link.last(), { name: 'bubble', args: { text: 'Hi', seconds: 6 } });
    await system.link.take(owner.robot, owner.token, { ...hello, features: [...hello.features, 'bubble_picture'] });
    await ok('say', { text: 'สวัสดี', seconds: 2.5 });
    const { args, attachments } = system.link.last();
    assert.equal(args['text'], 'สวัสดี');
    assert.equal(args['seconds'], 2.5);
    assert.equal(args['w'], attachments?.[0]?.picture.w);
    assert.equal(args['h'], attachments?.[0]?.picture.h);
  });

  it('say sends the text without escape sequences of terminals and names it, also to a robot that draws the bubble itself', async () => {
    assert.deepEqual(await ok('say', { text: '\u001b[31mFAIL\u001b[0m 3 \u001b]8;;https://example.org\u001b\\tests\u001b]8;;\u001b\\' }), {
      ok: true,
      adjusted: ['text'],
    });
    assert.equal(system.link.last().args['text'], 'FAIL 3 tests');
    assert.equal((await refused('say', { text: '\u001b[31m\u001b[0m' }, 400, 'bad_argument')).field, 'text');
  });

  it('say counts characters as code points: it accepts 80 emoji and rejects 81', async () => {
    await ok('say', { text: '🙂'.repeat(80) });
    await refused('say', { text: '🙂'.repeat(81) }, 400, 'bad_argument');
  });

  it('face and move send their arguments, and move answers the angles that the robot used', async () => {
    await ok('face', { emotion: 'happy' });
    assert.deepEqual(system.link.last(), { name: 'face', args: { emotion: 'happy' } });
    assert.deepEqual(await ok('move', { yaw: 20, pitch: 900 }), { ok: true, yaw: 20, pitch: 85 });
    assert.deepEqual(system.link.last(), { name: 'head.move', args: { yaw: 20, pitch: 900 } });
    assert.deepEqual(await ok('move', { gesture: 'nod' }), { ok: true, yaw: null, pitch: null });
    assert.deepEqual(system.link.last(), { name: 'head.gesture', args: { name: 'nod' } });
  });

  const limited = (color: string): string => limitedColors([ledColor(color)], ledMaDefault)[0]!;

  it('leds sends colour-corrected commands for one colour, pixels, a bar, an effect and off', async () => {
    await ok('leds', { color: '#ff0000' });
    assert.deepEqual(system.link.last(), { name: 'leds.set', args: { pixels: Array.from({ length: 12 }, () => '#ff0000') } });
    await ok('leds', { bar: 0.5 });
    assert.equal((system.link.last().args['pixels'] as string[])[0], limited('#ffffff'));
    assert.equal((system.link.last().args['pixels'] as string[])[5], '#000000');
    await ok('leds', { pixels: Array.from({ length: 12 }, (_, i) => (i === 0 ? 'green' : '#000000')) });
    assert.equal((system.link.last().args['pixels'] as string[])[0], ledColor('#34c759'));
    await ok('leds', { effect: 'breathe', color: 'purple', speed: 0.5, seconds: 10 });
    assert.deepEqual(system.link.last(), { name: 'leds.effect', args: { name: 'breathe', color: limited('#af52de'), speed: 0.5, seconds: 10 } });
    await ok('leds', { color: '#ff0000', brightness: 0.5 });
    assert.equal((system.link.last().args['pixels'] as string[])[0], '#370000');
    await ok('leds', { effect: 'rainbow' });
    assert.equal((system.link.last().args['palette'] as string[]).length, 6);
    assert.equal(system.link.last().args['seconds'], 0);
    await ok('leds', { effect: 'off' });
    assert.deepEqual(system.link.last(), { name: 'leds.effect', args: { name: 'off', speed: 1, seconds: 0 } });
    await ok('leds', { off: true });
    assert.deepEqual(
      system.link.last().args['pixels'],
      Array.from({ length: 12 }, () => '#000000'),
    );
    await refused('leds', { off: false }, 400, 'bad_argument');
  });

  it('sound plays at a rate that the robot supports, answers its length, and sets only the volume when only `volume` is given', async () => {
    assert.deepEqual(await ok('sound', { notes: 'C4:200 -:100 G4:400', volume: 30 }), { ok: true, seconds: 0.7, replaced: false });
    const { name, args, sound } = system.link.last();
    assert.equal(name, 'audio.play');
    assert.deepEqual(args, { volume: 30 });
    assert.equal(sound?.rate, 16_000);
    assert.deepEqual(await ok('sound', { volume: 0 }), { ok: true, seconds: 0, replaced: false });
    assert.deepEqual(system.link.last(), { name: 'audio.volume', args: { pct: 0 } });
    const chime = await ok('sound', { chime: 'tada' });
    assert.ok(chime.seconds > 0);
    assert.deepEqual(await ok('sound', { notes: 'Scale:d=8,o=5,b=120:c,d#6,p,2e.' }), { ok: true, seconds: 2.25, replaced: false });
  });

  it('sound answers replaced: true when another sound replaced it before it began', async () => {
    system.link.answer = ({ id }) => ({ t: 'replaced', id });
    assert.equal((await ok('sound', { chime: 'done' })).replaced, true);
  });

  it('sound answers 400 naming an invalid note, before the robot is looked up', async () => {
    await system.link.release(owner.robot, 'away');
    const body = await refused('sound', { notes: 'C4:200 H4:100' }, 400, 'bad_argument');
    assert.equal(body.field, 'notes');
    assert.match(body.error, /notes\[1\]/);
    await refused('sound', { notes: 'C4:20000 C4:20000' }, 400, 'bad_argument');
    const long = await refused('sound', { notes: `Long:d=1,o=5,b=120:${'c,'.repeat(20)}` }, 400, 'bad_argument');
    assert.deepEqual([long.field, long.error], ['notes', 'notes[15]: the tune exceeds 30 s here; it takes 40 s and may take at most 30 s']);
    await refused('sound', { notes: 'C4:200' }, 503, 'robot_offline');
  });

  describe('command', () => {
    it('sends a declared command and answers its result', async () => {
      system.link.answer = ({ id }) => ({ t: 'ack', id, result: { was: 40 } });
      assert.deepEqual(await ok('command', { command: 'brightness', args: { pct: 60 } }), { ok: true, result: { was: 40 } });
      assert.deepEqual(system.link.last(), { name: 'robot', args: { command: 'brightness', args: { pct: 60 } } });
    });

    it('answers 400 for a system command, 501 for an undeclared one, and 400 for wrong arguments', async () => {
      for (const command of ['restart', 'app_start', 'App.Start', 'camera_on', 'self_test'])
        await refused('command', { command }, 400, 'command_not_passed_on');
      await refused('command', { command: 'fly' }, 501, 'not_offered');
      const body = await refused('command', { command: 'brightness', args: { pct: 200 } }, 400, 'bad_argument');
      assert.equal(body.field, 'args.pct');
      assert.equal(system.link.commands.length, 0);
    });

    it('neither lists nor sends what restarts a robot or turns its streams on, although the robot declares it for programs', async () => {
      const names = ['self.reboot', 'Shelly.FactoryReset', 'takeCameraPhoto', 'wi_fi', 'otaUpdate', 're\u200bboot', 'restart_song'];
      await system.link.take(owner.robot, owner.token, { ...hello, commands: names.map((name) => ({ name, class: 'program' })) });
      const { commands } = await ok('state', {});
      assert.deepEqual(
        commands.map(({ name }: { name: string }) => name),
        ['restart_song'],
      );
      for (const command of names.slice(0, -1)) await refused('command', { command }, 400, 'command_not_passed_on');
      assert.equal(system.link.commands.length, 0);
      await ok('command', { command: 'restart_song' });
    });

    it('reads the declared commands again after the robot reconnected with other commands', async () => {
      await ok('face', { emotion: 'happy' });
      const [brightness, ...others] = hello.commands;
      const wider = { ...brightness, args: { type: 'object', properties: { level: { type: 'string' } }, additionalProperties: false } };
      await system.link.take(owner.robot, owner.token, { ...hello, commands: [wider, ...others] });
      await ok('command', { command: 'brightness', args: { level: 'high' } });
      await refused('command', { command: 'brightness', args: { pct: 20 } }, 400, 'bad_argument');
    });

    it('answers 400 for wrong arguments and 503 for an undeclared command while the robot is offline', async () => {
      await system.link.release(owner.robot, 'away');
      await refused('command', { command: 'restart' }, 400, 'command_not_passed_on');
      await refused('command', { command: 'brightness', args: { pct: 200 } }, 400, 'bad_argument');
      await refused('command', { command: 'brightness', args: { pct: 20 } }, 503, 'robot_offline');
      await refused('command', { command: 'fly' }, 503, 'robot_offline');
    });

    it('sends a picture among the arguments as an attachment, scaled to the declared size', async () => {
      await ok('command', { command: 'sticker', args: { id: 'star', image: pngBase64, x: 10 } });
      const { args, attachments } = system.link.last();
      assert.deepEqual(args, { command: 'sticker', args: { id: 'star', x: 10 } });
      assert.deepEqual(attachments?.[0]?.path, ['args', 'image']);
      assert.deepEqual([system.drawn[0]?.scene.w, system.drawn[0]?.scene.h], [120, 120]);
      const body = await refused('command', { command: 'sticker', args: { id: 'star', image: 'AAAA' } }, 400, 'bad_picture');
      assert.equal(body.field, 'args.image');
    });

    it('answers 400 for arguments larger than a frame to the robot', async () => {
      const args = { id: 'x'.repeat(16_000), image: pngBase64 };
      assert.equal((await refused('command', { command: 'sticker', args }, 400, 'bad_argument')).field, 'args');
    });
  });

  it('answers 400 naming the field for an action with nothing to do, unknown properties and wrong types', async () => {
    for (const action of ['show', 'face', 'move', 'leds', 'sound', 'say', 'ask', 'menu', 'clickmap', 'command'])
      await refused(action, {}, 400, 'bad_argument');
    assert.equal((await refused('face', { emotion: 'happy', x: 1 }, 400, 'bad_argument')).field, 'x');
    assert.equal(
      (
        await refused(
          'clickmap',
          {
            regions: [
              { id: 'a', rect: [0, 0, 1, 1] },
              {
                id: 'b',
                polygon: [
                  [0, 0],
                  [1, 1],
                ],
              },
            ],
          },
          400,
          'bad_argument',
        )
      ).field,
      'regions[1].polygon',
    );
  });

  it('answers 400 for wrong arguments even when the robot is offline, and 503 before 501', async () => {
    const bare = await system.ownerOnline({ ...hello, features: [] });
    for (const [action, args] of Object.entries({
      show: { text: 'x' },
      say: { text: 'x' },
      face: { emotion: 'sad' },
      move: { gesture: 'nod' },
      leds: { off: true },
      sound: { volume: 1 },
      ask: { question: 'x', answers: ['a', 'b'] },
      menu: { items: ['a', 'b'] },
      clickmap: { regions: [{ id: 'a', rect: [0, 0, 9, 9] }] },
    })) {
      const lacking = await system.act(bare, action, args);
      assert.deepEqual([lacking.status, lacking.body.code], [501, 'not_offered'], action);
    }
    await system.link.release(bare.robot, 'away');
    assert.equal((await system.act(bare, 'face', { emotion: 'sad' })).status, 503);
    assert.equal((await system.act(bare, 'face', { emotion: 'bored' })).status, 400);
  });

  it("answers a robot's nack with the status of its code", async () => {
    for (const [code, status] of [
      ['bad_argument', 400],
      ['card_showing', 400],
      ['not_offered', 501],
      ['robot_busy', 503],
      ['robot_hardware', 503],
      ['no_ack', 503],
    ] as const) {
      system.link.answer = ({ id }) => ({ t: 'nack', id, code, error: `because of ${code}` });
      const body = await refused('say', { text: 'x' }, status, code);
      assert.equal(body.error, `because of ${code}`);
    }
  });

  it('says in `next` what to send where there is more to say than the error does, in words for HTTP', async () => {
    for (const [code, status, next] of [
      ['card_showing', 400, 'Send show with "clear": true, or wait until the question ends; then send the request again.'],
      ['bad_argument', 400, undefined],
    ] as const) {
      system.link.answer = ({ id }) => ({ t: 'nack', id, code, error: 'Refused.' });
      assert.equal((await refused('say', { text: 'x' }, status, code))['next'], next);
    }
  });
});
