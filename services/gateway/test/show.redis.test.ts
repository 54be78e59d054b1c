import assert from 'node:assert/strict';
import { callsOf, pngBase64, useGateway, useOwner } from './gateway-under-test.js';
import { hello } from './test-link.js';

describe('actions', () => {
  const system = useGateway();
  const owner = useOwner(system);

  const { ok, refused } = callsOf(system, owner);

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
      const countdownTexts = (): string[] =>
        system.drawn.map(({ scene }) => scene.boxes.find((box: { countdown?: object }) => box.countdown !== undefined).text);

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
});
