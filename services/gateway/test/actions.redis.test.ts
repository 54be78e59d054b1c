import assert from 'node:assert/strict';
import { commandAnswers } from './command-answers.js';
import { TestSystem, pngBase64, type Owner } from './test-system.js';
import { hello } from './test-link.js';
import { ledColor } from '../src/media/led-color.js';
import { ledMaDefault, limitedColors } from '../src/media/led-current.js';

describe('actions', () => {
  let system: TestSystem;
  let owner: Owner;

  before(async () => {
    system = await TestSystem.start();
  });
  beforeEach(async () => {
    owner = await system.ownerOnline();
    system.link.answer = commandAnswers;
    system.link.commands.length = 0;
    system.drawn.length = 0;
  });
  after(() => system.stop());

  const ok = async (action: string, args: unknown): Promise<any> => {
    const { status, body } = await system.act(owner, action, args);
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(body.ok, true);
    return body;
  };
  const refused = async (action: string, args: unknown, status: number, code: string): Promise<any> => {
    const answer = await system.act(owner, action, args);
    assert.equal(answer.status, status, JSON.stringify(answer.body));
    assert.equal(answer.body.code, code);
    return answer.body;
  };

  describe('show', () => {
    it('draws a card in a format that the robot supports and shows it under a unique id', async () => {
      const text = `42 % ${owner.robot}`;
      assert.deepEqual(await ok('show', { title: 'Build', text, progress: 0.42, color: 'green' }), { ok: true });
      const { name, args, attachments } = system.link.last();
      assert.equal(name, 'screen.show');
      assert.equal(args['layer'], 'card');
      assert.match(String(args['id']), /^card-[\w-]{55}$/);
      assert.equal(attachments?.length, 1);
      assert.deepEqual(attachments?.[0]?.path, []);
      assert.equal(attachments?.[0]?.picture.account, owner.account);
      assert.equal(system.drawn.length, 1);
      assert.deepEqual(system.drawn[0]?.formats, ['jpeg', 'png']);
      assert.equal(system.drawn[0]?.bytesMax, 98_304);
      await ok('show', { title: 'Build', text, progress: 0.42, color: 'green' });
      assert.equal(system.drawn.length, 1, 'a picture seen before is not drawn again');
      assert.notEqual(system.link.last().args['id'], args['id']);
    });

    it('passes the language of the texts on to the renderer', async () => {
      await ok('show', { text: '直す', title: '直', lang: 'zh-Hant' });
      assert.deepEqual(
        system.drawn[0]?.scene.boxes.map((box: { lang?: string }) => box.lang),
        ['zh-Hant', 'zh-Hant'],
      );
    });

    it('passes icons, QR codes and sparklines on to the renderer', async () => {
      const kinds = async (args: object): Promise<string[]> => {
        await ok('show', args);
        return system.drawn.at(-1)?.scene.boxes.map(({ kind }: { kind: string }) => kind);
      };
      assert.deepEqual(await kinds({ icon: 'bell', text: owner.robot }), ['icon', 'text']);
      assert.deepEqual(await kinds({ qr: owner.robot }), ['qr']);
      assert.deepEqual(await kinds({ sparkline: [1, null, 2], note: owner.robot }), ['text', 'sparkline']);
    });

    describe('with a countdown', () => {
      const countsDown = { ...hello, turnsPages: true };
      const countdownTexts = (): string[] =>
        system.drawn.map(({ scene }) => scene.boxes.find((box: { countdown?: object }) => box.countdown !== undefined).text);

      beforeEach(async () => {
        owner = await system.ownerOnline(countsDown);
      });

      it('draws its first second and its end, and has the robot-link draw the others until the seconds have passed', async () => {
        const before = system.link.store.clock.now();
        assert.deepEqual(await ok('show', { title: owner.robot, countdown: { seconds: 300, done: 'Ready' } }), { ok: true });
        const { args, attachments, countdown } = system.link.last();
        assert.match(String(args['id']), /^down-[\w-]{55}$/);
        assert.deepEqual(countdownTexts().toSorted(), ['5:00', 'Ready']);
        assert.equal(attachments?.length, 1);
        const { end, scene, formats, bytesMax } = countdown!;
        // The clocks of the two instances differ by less.
        assert.ok(end >= before + 299_000 && end <= system.link.store.clock.now() + 301_000);
        assert.deepEqual(
          { scene, formats, bytesMax },
          { scene: system.drawn.find((job) => JSON.stringify(job.scene).includes('5:00'))!.scene, formats: ['jpeg', 'png'], bytesMax: 98_304 },
        );
      });

      it('counts down to a time', async () => {
        const end = Math.floor(system.link.store.clock.now() / 1000 + 90) * 1000;
        await ok('show', { title: owner.robot, countdown: { until: new Date(end).toISOString() } });
        assert.equal(system.link.last().countdown?.end, end);
        assert.match(countdownTexts()[0]!, /^1:[0-3]\d$/);
      });

      it('shows the end at once if the time has passed', async () => {
        await ok('show', { title: owner.robot, countdown: { until: '2020-01-01T00:00:00Z', done: 'Over' } });
        assert.deepEqual(countdownTexts(), ['Over']);
        const { args, countdown } = system.link.last();
        assert.match(String(args['id']), /^card-/);
        assert.equal(countdown, undefined);
      });

      it('answers 400 for a time more than a day ahead, and in a preview too', async () => {
        const until = new Date(system.link.store.clock.now() + 90_000_000).toISOString();
        const { field, error } = await refused('show', { countdown: { until } }, 400, 'bad_argument');
        assert.deepEqual([field, error], ['countdown.until', 'countdown.until: is more than 86400 s ahead']);
        assert.equal((await refused('preview/show', { countdown: { until } }, 400, 'bad_argument')).field, 'countdown.until');
        assert.equal(system.link.commands.length, 0);
      });

      it('names in `adjusted` that it stays on a robot-link of 0.9.0', async () => {
        owner = await system.ownerOnline();
        assert.deepEqual((await ok('show', { countdown: { seconds: 300 } })).adjusted, ['countdown']);
      });

      it('a countdown beside an image is ignored', async () => {
        assert.deepEqual((await ok('show', { image: pngBase64, countdown: { seconds: 5 } })).ignored, ['countdown']);
        assert.equal(system.link.last().countdown, undefined);
      });
    });

    it('rejects an unknown icon with names that are spelled alike, and a QR code that is too long', async () => {
      const { field, error } = await refused('show', { icon: 'chek' }, 400, 'bad_argument');
      assert.equal(field, 'icon');
      assert.match(error, /did you mean check\?/);
      assert.equal((await refused('show', { qr: 'x'.repeat(107), text: 'x' }, 400, 'bad_argument')).field, 'qr');
      assert.equal(system.link.commands.length, 0);
    });

    it('ignores text fields beside an image and lists them in `ignored`', async () => {
      const body = await ok('show', { image: pngBase64, text: 'x', note: 'y', color: 'red', background: 'blue' });
      assert.deepEqual(body.ignored, ['text', 'note', 'color']);
      const { scene } = system.drawn[0]!;
      assert.equal(scene.boxes.length, 1);
      assert.equal(scene.boxes[0].kind, 'image');
      assert.equal(scene.background, '#2f80ff');
    });

    it('accepts pictures with a data: prefix and with line breaks', async () => {
      await ok('show', { image: `data:image/png;base64,${pngBase64.slice(0, 20)}\r\n ${pngBase64.slice(20)}` });
    });

    it('clears the card when `clear` is true', async () => {
      await ok('show', { clear: true });
      assert.deepEqual(system.link.last(), { name: 'screen.clear', args: { layer: 'card' } });
    });

    it('answers 400 bad_picture with the field for an invalid picture, after checking for 503 and 501', async () => {
      assert.equal((await refused('show', { image: 'AAAA' }, 400, 'bad_picture')).field, 'image');
      await refused('show', { image: 'not base64!' }, 400, 'bad_picture');
      await system.link.release(owner.robot, 'away');
      await refused('show', { image: 'AAAA' }, 503, 'robot_offline');
      await system.link.take(owner.robot, owner.token, { ...hello, features: ['face'] });
      await refused('show', { image: 'AAAA' }, 501, 'not_offered');
    });
  });

  it('names the one of several pictures that cannot be decoded', async () => {
    const broken = Buffer.concat([Buffer.from(pngBase64, 'base64'), Buffer.from('broken')]).toString('base64');
    const items = [{ image: pngBase64 }, 'b', { image: broken }, { image: pngBase64 }];
    assert.equal((await refused('menu', { items }, 400, 'bad_picture')).field, 'items[2].image');
    assert.equal((await refused('show', { image: broken }, 400, 'bad_picture')).field, 'image');
    assert.equal((await refused('menu', { items: ['a', { image: 'AAAA' }] }, 400, 'bad_picture')).field, 'items[1].image');
  });

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

  describe('state', () => {
    it('state answers the state of the robot-link, the same for GET and POST', async () => {
      const { body } = await system.ask('GET', `/v1/robots/${owner.robot}`, { apiKey: owner.apiKey });
      assert.deepEqual(Object.keys(body), [
        'ok',
        'id',
        'name',
        'online',
        'model',
        'firmware',
        'commands',
        'labels',
        'readings',
        'readings_at',
        'showing',
        'volume_max',
        'quiet_hours',
        'events',
        'last_seq',
      ]);
      assert.equal(body.online, true);
      assert.deepEqual(body.readings, { battery_pct: 81 });
      assert.equal(body.readings_at, new Date(1_790_000_000_000).toISOString());
      assert.equal(body.showing.emotion, 'happy');
      assert.deepEqual(
        body.commands.map((command: { name: string }) => command.name),
        ['brightness', 'sticker'],
        'neither system ones nor excluded ones',
      );
      assert.deepEqual(await ok('state', { anything: 'ignored' }), body);
    });

    it('state answers the copy in Redis within a second when the robot-link does not reply, and when the robot is away', async () => {
      const { state } = system.link;
      await system.link.store.leases.save(owner.robot, system.link.sessionOf(owner.robot), { ...state!, readings: { battery_pct: 12 } });
      system.link.state = null;
      try {
        const before = performance.now();
        const body = await ok('state', {});
        assert.ok(performance.now() - before < 3000);
        assert.deepEqual([body.online, body.readings], [true, { battery_pct: 12 }]);
      } finally {
        system.link.state = state;
      }
      await system.link.release(owner.robot, 'away');
      const away = await ok('state', {});
      assert.equal(away.online, false);
      assert.deepEqual(away.readings, { battery_pct: 81 });
    });

    it('state is empty, not an error, for a robot that never connected', async () => {
      const never = await system.owner();
      const { status, body } = await system.act(never, 'state');
      assert.equal(status, 200);
      assert.deepEqual([body.online, body.model, body.readings, body.readings_at, body.events, body.last_seq], [false, '', {}, null, [], 0]);
    });
  });

  it('lists robots ascending by id with their online status', async () => {
    const { robot } = await system.store.robots.create({ account: owner.account });
    const { body } = await system.ask('GET', '/v1/robots', { apiKey: owner.apiKey });
    assert.deepEqual(
      body.robots.map(({ id, online, model }: any) => [id, online, model]),
      [
        [owner.robot, true, 'stackchan-k151'],
        [robot, false, ''],
      ].toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
    );
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
});
