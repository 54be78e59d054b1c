import assert from 'node:assert/strict';
import { commandAnswers } from './command-answers.js';
import { Bench, pngBase64, type Owner } from './bench.js';
import { hello } from './test-link.js';
import { ledColor } from '../src/media/led-color.js';

describe('what actions do', () => {
  let bench: Bench;
  let owner: Owner;

  before(async () => {
    bench = await Bench.start();
  });
  beforeEach(async () => {
    owner = await bench.ownerOnline();
    bench.link.answer = commandAnswers;
    bench.link.commands.length = 0;
    bench.drawn.length = 0;
  });
  after(() => bench.stop());

  const ok = async (action: string, args: unknown): Promise<any> => {
    const { status, body } = await bench.act(owner, action, args);
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(body.ok, true);
    return body;
  };
  const refused = async (action: string, args: unknown, status: number, code: string): Promise<any> => {
    const answer = await bench.act(owner, action, args);
    assert.equal(answer.status, status, JSON.stringify(answer.body));
    assert.equal(answer.body.code, code);
    return answer.body;
  };

  describe('show', () => {
    it('draws a card in a form the robot takes and shows it under an id of its own', async () => {
      const text = `42 % ${owner.robot}`;
      assert.deepEqual(await ok('show', { title: 'Build', text, progress: 0.42, color: 'green' }), { ok: true });
      const { name, args, attachments } = bench.link.last();
      assert.equal(name, 'screen.show');
      assert.equal(args['layer'], 'card');
      assert.match(String(args['id']), /^card-[\w-]{55}$/);
      assert.equal(attachments?.length, 1);
      assert.deepEqual(attachments?.[0]?.path, []);
      assert.equal(attachments?.[0]?.picture.account, owner.account);
      assert.equal(bench.drawn.length, 1);
      assert.deepEqual(bench.drawn[0]?.formats, ['jpeg', 'png']);
      assert.equal(bench.drawn[0]?.bytesMax, 98_304);
      await ok('show', { title: 'Build', text, progress: 0.42, color: 'green' });
      assert.equal(bench.drawn.length, 1, 'a picture seen before is not drawn again');
      assert.notEqual(bench.link.last().args['id'], args['id']);
    });

    it('with an image text fields are left out and named', async () => {
      const body = await ok('show', { image: pngBase64, text: 'x', note: 'y', color: 'red', background: 'blue' });
      assert.deepEqual(body.ignored, ['text', 'note', 'color']);
      const { scene } = bench.drawn[0]!;
      assert.equal(scene.boxes.length, 1);
      assert.equal(scene.boxes[0].kind, 'image');
      assert.equal(scene.background, '#2f80ff');
    });

    it('takes pictures behind a data: prefix and broken into lines', async () => {
      await ok('show', { image: `data:image/png;base64,${pngBase64.slice(0, 20)}\r\n ${pngBase64.slice(20)}` });
    });

    it('clear takes the card away', async () => {
      await ok('show', { clear: true });
      assert.deepEqual(bench.link.last(), { name: 'screen.clear', args: { layer: 'card' } });
    });

    it('a picture that is none is 400 bad_picture with its field, and only after 503 and 501', async () => {
      assert.equal((await refused('show', { image: 'AAAA' }, 400, 'bad_picture')).field, 'image');
      await refused('show', { image: 'not base64!' }, 400, 'bad_picture');
      await bench.link.release(owner.robot, 'away');
      await refused('show', { image: 'AAAA' }, 503, 'robot_offline');
      await bench.link.take(owner.robot, owner.token, { ...hello, features: ['face'] });
      await refused('show', { image: 'AAAA' }, 501, 'not_offered');
    });
  });

  it('of several pictures the one that cannot be decoded is named', async () => {
    const broken = Buffer.concat([Buffer.from(pngBase64, 'base64'), Buffer.from('broken')]).toString('base64');
    const items = [{ image: pngBase64 }, 'b', { image: broken }, { image: pngBase64 }];
    assert.equal((await refused('menu', { items }, 400, 'bad_picture')).field, 'items[2].image');
    assert.equal((await refused('show', { image: broken }, 400, 'bad_picture')).field, 'image');
    assert.equal((await refused('menu', { items: ['a', { image: 'AAAA' }] }, 400, 'bad_picture')).field, 'items[1].image');
  });

  it('say sends the text; a robot that wants it gets the bubble drawn too', async () => {
    await ok('say', { text: 'Hi' });
    assert.deepEqual(bench.link.last(), { name: 'bubble', args: { text: 'Hi', seconds: 6 } });
    await bench.link.take(owner.robot, owner.token, { ...hello, features: [...hello.features, 'bubble_picture'] });
    await ok('say', { text: 'สวัสดี', seconds: 2.5 });
    const { args, attachments } = bench.link.last();
    assert.equal(args['text'], 'สวัสดี');
    assert.equal(args['seconds'], 2.5);
    assert.equal(args['w'], attachments?.[0]?.picture.w);
    assert.equal(args['h'], attachments?.[0]?.picture.h);
  });

  it('say counts characters as code points: 80 emoji pass, 81 do not', async () => {
    await ok('say', { text: '🙂'.repeat(80) });
    await refused('say', { text: '🙂'.repeat(81) }, 400, 'bad_argument');
  });

  it('face and move pass their arguments on; move answers what the robot took', async () => {
    await ok('face', { emotion: 'happy' });
    assert.deepEqual(bench.link.last(), { name: 'face', args: { emotion: 'happy' } });
    assert.deepEqual(await ok('move', { yaw: 20, pitch: 900 }), { ok: true, yaw: 20, pitch: 85 });
    assert.deepEqual(bench.link.last(), { name: 'head.move', args: { yaw: 20, pitch: 900 } });
    assert.deepEqual(await ok('move', { gesture: 'nod' }), { ok: true, yaw: null, pitch: null });
    assert.deepEqual(bench.link.last(), { name: 'head.gesture', args: { name: 'nod' } });
  });

  it('leds: one colour, pixels, a bar, an effect and off, all corrected', async () => {
    await ok('leds', { color: '#ff0000' });
    assert.deepEqual(bench.link.last(), { name: 'leds.set', args: { pixels: Array.from({ length: 12 }, () => '#ff0000') } });
    await ok('leds', { bar: 0.5 });
    assert.equal((bench.link.last().args['pixels'] as string[])[0], ledColor('#ffffff'));
    assert.equal((bench.link.last().args['pixels'] as string[])[5], '#000000');
    await ok('leds', { pixels: Array.from({ length: 12 }, (_, i) => (i === 0 ? 'green' : '#000000')) });
    assert.equal((bench.link.last().args['pixels'] as string[])[0], ledColor('#34c759'));
    await ok('leds', { effect: 'breathe', color: 'purple', speed: 0.5, seconds: 10 });
    assert.deepEqual(bench.link.last(), { name: 'leds.effect', args: { name: 'breathe', color: ledColor('#af52de'), speed: 0.5, seconds: 10 } });
    await ok('leds', { effect: 'rainbow' });
    assert.equal((bench.link.last().args['palette'] as string[]).length, 6);
    assert.equal(bench.link.last().args['seconds'], 0);
    await ok('leds', { effect: 'off' });
    assert.deepEqual(bench.link.last(), { name: 'leds.effect', args: { name: 'off', speed: 1, seconds: 0 } });
    await ok('leds', { off: true });
    assert.deepEqual(
      bench.link.last().args['pixels'],
      Array.from({ length: 12 }, () => '#000000'),
    );
    await refused('leds', { off: false }, 400, 'bad_argument');
  });

  it('sound: plays at a rate the robot takes, answers its length; volume alone sets the volume', async () => {
    assert.deepEqual(await ok('sound', { notes: 'C4:200 -:100 G4:400', volume: 30 }), { ok: true, seconds: 0.7, replaced: false });
    const { name, args, sound } = bench.link.last();
    assert.equal(name, 'audio.play');
    assert.deepEqual(args, { volume: 30 });
    assert.equal(sound?.rate, 16_000);
    assert.deepEqual(await ok('sound', { volume: 0 }), { ok: true, seconds: 0, replaced: false });
    assert.deepEqual(bench.link.last(), { name: 'audio.volume', args: { pct: 0 } });
    const chime = await ok('sound', { chime: 'tada' });
    assert.ok(chime.seconds > 0);
  });

  it('sound: a sound replaced before it began is ok and says so', async () => {
    bench.link.answer = ({ id }) => ({ t: 'replaced', id });
    assert.equal((await ok('sound', { chime: 'done' })).replaced, true);
  });

  it('sound: a wrong note is 400 naming it, before the robot is asked for', async () => {
    await bench.link.release(owner.robot, 'away');
    const body = await refused('sound', { notes: 'C4:200 H4:100' }, 400, 'bad_argument');
    assert.equal(body.field, 'notes');
    assert.match(body.error, /notes\[1\]/);
    await refused('sound', { notes: 'C4:20000 C4:20000' }, 400, 'bad_argument');
    await refused('sound', { notes: 'C4:200' }, 503, 'robot_offline');
  });

  describe('command', () => {
    it('passes a declared command on and answers its result', async () => {
      bench.link.answer = ({ id }) => ({ t: 'ack', id, result: { was: 40 } });
      assert.deepEqual(await ok('command', { command: 'brightness', args: { pct: 60 } }), { ok: true, result: { was: 40 } });
      assert.deepEqual(bench.link.last(), { name: 'robot', args: { command: 'brightness', args: { pct: 60 } } });
    });

    it('an excluded or system command is 400, an undeclared one 501, wrong arguments 400', async () => {
      for (const command of ['restart', 'app_start', 'App.Start', 'camera_on', 'self_test'])
        await refused('command', { command }, 400, 'command_not_passed_on');
      await refused('command', { command: 'fly' }, 501, 'not_offered');
      const body = await refused('command', { command: 'brightness', args: { pct: 200 } }, 400, 'bad_argument');
      assert.equal(body.field, 'args.pct');
      assert.equal(bench.link.commands.length, 0);
    });

    it('what the robot declared is read again when it came back with other commands, on another boot', async () => {
      await ok('face', { emotion: 'happy' });
      const [brightness, ...others] = hello.commands;
      const wider = { ...brightness, args: { type: 'object', properties: { level: { type: 'string' } }, additionalProperties: false } };
      await bench.link.take(owner.robot, owner.token, { ...hello, commands: [wider, ...others] });
      await ok('command', { command: 'brightness', args: { level: 'high' } });
      await refused('command', { command: 'brightness', args: { pct: 20 } }, 400, 'bad_argument');
    });

    it('offline: what is wrong is still 400, what is not declared 503', async () => {
      await bench.link.release(owner.robot, 'away');
      await refused('command', { command: 'restart' }, 400, 'command_not_passed_on');
      await refused('command', { command: 'brightness', args: { pct: 200 } }, 400, 'bad_argument');
      await refused('command', { command: 'brightness', args: { pct: 20 } }, 503, 'robot_offline');
      await refused('command', { command: 'fly' }, 503, 'robot_offline');
    });

    it('a picture among the arguments travels as an attachment, fitted to what the robot declared', async () => {
      await ok('command', { command: 'sticker', args: { id: 'star', image: pngBase64, x: 10 } });
      const { args, attachments } = bench.link.last();
      assert.deepEqual(args, { command: 'sticker', args: { id: 'star', x: 10 } });
      assert.deepEqual(attachments?.[0]?.path, ['args', 'image']);
      assert.deepEqual([bench.drawn[0]?.scene.w, bench.drawn[0]?.scene.h], [120, 120]);
      const body = await refused('command', { command: 'sticker', args: { id: 'star', image: 'AAAA' } }, 400, 'bad_picture');
      assert.equal(body.field, 'args.image');
    });

    it('arguments that no frame to the robot could hold are 400', async () => {
      const args = { id: 'x'.repeat(16_000), image: pngBase64 };
      assert.equal((await refused('command', { command: 'sticker', args }, 400, 'bad_argument')).field, 'args');
    });
  });

  describe('state', () => {
    it("is the robot-link's, the same by GET and POST", async () => {
      const { body } = await bench.ask('GET', `/v1/robots/${owner.robot}`, { apiKey: owner.apiKey });
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

    it('holds the last 20 events, oldest first', async () => {
      for (let i = 0; i < 25; i++) await bench.link.event(owner.robot, 'tap', { x: i, y: 0 });
      const { events, last_seq } = await ok('state', {});
      assert.equal(events.length, 20);
      assert.equal(events[0].data.x, 5);
      assert.equal(events.at(-1).seq, last_seq);
    });

    it("is Redis' copy within a second when the robot-link is silent, and when the robot is away", async () => {
      const { state } = bench.link;
      await bench.link.store.leases.save(owner.robot, bench.link.sessionOf(owner.robot), { ...state!, readings: { battery_pct: 12 } });
      bench.link.state = null;
      try {
        const before = performance.now();
        const body = await ok('state', {});
        assert.ok(performance.now() - before < 3000);
        assert.deepEqual([body.online, body.readings], [true, { battery_pct: 12 }]);
      } finally {
        bench.link.state = state;
      }
      await bench.link.release(owner.robot, 'away');
      const away = await ok('state', {});
      assert.equal(away.online, false);
      assert.deepEqual(away.readings, { battery_pct: 81 });
    });

    it('of a robot that never connected is empty, not an error', async () => {
      const never = await bench.owner();
      const { status, body } = await bench.act(never, 'state');
      assert.equal(status, 200);
      assert.deepEqual([body.online, body.model, body.readings, body.readings_at, body.events, body.last_seq], [false, '', {}, null, [], 0]);
    });
  });

  it('lists robots ascending by id and says which are online', async () => {
    const { robot } = await bench.store.robots.create({ account: owner.account });
    const { body } = await bench.ask('GET', '/v1/robots', { apiKey: owner.apiKey });
    assert.deepEqual(
      body.robots.map(({ id, online, model }: any) => [id, online, model]),
      [
        [owner.robot, true, 'stackchan-k151'],
        [robot, false, ''],
      ].toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
    );
  });

  it('an action with nothing to do, unknown properties and wrong types are 400 that says where', async () => {
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

  it('wrong arguments are 400 even when the robot is offline, and 503 comes before 501', async () => {
    const bare = await bench.ownerOnline({ ...hello, features: [] });
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
      const lacking = await bench.act(bare, action, args);
      assert.deepEqual([lacking.status, lacking.body.code], [501, 'not_offered'], action);
    }
    await bench.link.release(bare.robot, 'away');
    assert.equal((await bench.act(bare, 'face', { emotion: 'sad' })).status, 503);
    assert.equal((await bench.act(bare, 'face', { emotion: 'bored' })).status, 400);
  });

  it("a robot's nack comes through with its status", async () => {
    for (const [code, status] of [
      ['bad_argument', 400],
      ['card_showing', 400],
      ['not_offered', 501],
      ['robot_busy', 503],
      ['robot_hardware', 503],
      ['no_ack', 503],
    ] as const) {
      bench.link.answer = ({ id }) => ({ t: 'nack', id, code, error: `because of ${code}` });
      const body = await refused('say', { text: 'x' }, status, code);
      assert.equal(body.error, `because of ${code}`);
    }
  });
});
