/** Pictures of the screen over HTTP: previews of actions, and what a robot shows now. The test renderer draws each job as a text that names it. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { newCardId, type Store } from '@perch/store';
import { pngBase64, useGateway, type Owner } from './gateway-under-test.js';
import { hello } from './test-link.js';

const bodies = {
  show: { title: 'Build', text: '42 %' },
  say: { text: 'Good morning!' },
  ask: { question: 'Coffee?', answers: ['Yes', 'No'] },
  menu: { items: ['Soup', { label: 'Pizza', image: pngBase64 }] },
};

describe('pictures of the screen', () => {
  const system = useGateway();
  let owner: Owner;
  beforeEach(async () => {
    owner = await system.ownerOnline();
  });

  async function image(
    method: 'GET' | 'POST',
    path: string,
    body?: unknown,
    accept?: string,
  ): Promise<{ type: string | null; text: string; left: number }> {
    const response = await fetch(`${system.base}/v1/robots/${owner.robot}/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${owner.apiKey}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(accept === undefined ? {} : { accept }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    assert.equal(response.status, 200, text);
    return { type: response.headers.get('content-type'), text, left: Number(/r=(\d+)/.exec(response.headers.get('ratelimit')!)![1]) };
  }
  const failure = async (method: string, path: string, body?: unknown): Promise<[number, string, string | undefined]> => {
    const answer = await system.ask(method, `/v1/robots/${owner.robot}/${path}`, { apiKey: owner.apiKey, body });
    return [answer.status, answer.body.code, answer.body.field];
  };

  describe('preview', () => {
    it('draws each action as the robot would get it, as a PNG, and sends the robot nothing', async () => {
      for (const [name, body] of Object.entries(bodies)) {
        const { type, text } = await image('POST', `preview/${name}`, body);
        assert.deepEqual([type, text.slice(0, 11)], ['image/png', 'picture of '], name);
        assert.deepEqual(system.drawn.at(-1)!.formats, ['png']);
      }
      assert.deepEqual([system.link.commands, system.link.waits], [[], []]);
      const [shown] = system.drawn.map(({ scene }) => scene);
      assert.equal((await system.act(owner, 'show', bodies.show)).status, 200);
      assert.deepEqual(system.drawn.at(-1)!.scene, shown, 'the same scene');
    });

    it('answers with JSON to a client that prefers it, and costs one action', async () => {
      const first = await image('POST', 'preview/show', bodies.show, 'application/json');
      assert.equal(first.left, 29);
      const { ok, image: base64 } = JSON.parse(first.text);
      assert.deepEqual([ok, Buffer.from(base64, 'base64').toString().slice(0, 11)], [true, 'picture of ']);
      for (const accept of ['*/*', 'image/*', 'text/html', 'image/png, application/json;q=0.5'])
        assert.equal((await image('POST', 'preview/show', bodies.show, accept)).type, 'image/png', accept);
    });

    it('names what was cut, and refuses a question that is cut if it must be whole, as ask does', async () => {
      system.notesOf = () => ({ truncated: ['question'], missing: ['ꙮ'] });
      const question = { question: `Cut? ${owner.robot}`, answers: ['Yes', 'No'] };
      const { ok, truncated, missing, adjusted } = JSON.parse((await image('POST', 'preview/ask', question, 'application/json')).text);
      assert.deepEqual([ok, truncated, missing, adjusted], [true, ['question'], ['ꙮ'], undefined]);
      assert.deepEqual(await failure('POST', 'preview/ask', { ...question, whole: true }), [400, 'not_whole', 'question']);
    });

    it("a preview of say names what is cut from the robot's bubble, not from the larger one in the picture", async () => {
      owner = await system.ownerOnline({ ...hello, features: [...hello.features, 'bubble_picture'] });
      system.notesOf = ({ scene }) => ((scene as { w: number }).w < 320 ? { truncated: ['text'] } : {});
      const said = { text: `One\ntwo\nthree\nfour\nfive\n${owner.robot}` };
      const { truncated } = JSON.parse((await image('POST', 'preview/say', said, 'application/json')).text);
      assert.deepEqual([truncated, (await system.act(owner, 'say', said)).body.truncated], [['text'], ['text']]);
    });

    it('refuses what the action refuses, naming the same argument', async () => {
      const broken = Buffer.from(`${Buffer.from(pngBase64, 'base64').toString('latin1')}broken`, 'latin1').toString('base64');
      const wrong: [keyof typeof bodies, unknown][] = [
        ['show', {}],
        ['show', { text: 7 }],
        ['show', { clear: true, text: 'x' }],
        ['show', { image: 'no base64!' }],
        ['show', { image: broken }],
        ['say', { text: 'x'.repeat(81) }],
        ['say', { text: 'x', seconds: 31 }],
        ['ask', { question: 'Coffee?', answers: ['Yes'] }],
        ['ask', { question: 'Coffee?', answers: ['Yes', 'No'], timeout_s: 0 }],
        ['menu', { items: ['Soup', {}] }],
        ['menu', { items: ['Soup', { label: 'Pizza', image: broken }] }],
      ];
      for (const [name, body] of wrong) {
        const refused = await failure('POST', `preview/${name}`, body);
        assert.deepEqual(refused, await failure('POST', name, body), JSON.stringify(body));
        assert.equal(refused[0], 400);
      }
      assert.deepEqual(await failure('POST', 'preview/say', '{'), [400, 'malformed_json', undefined]);
      assert.deepEqual((await failure('POST', 'preview/face', { emotion: 'sad' })).slice(0, 2), [404, 'not_found']);
      assert.deepEqual((await failure('GET', 'preview/show')).slice(0, 2), [405, 'method_not_allowed']);
    });

    it('works for a robot that is away or has never connected, and answers 501 for one without a screen', async () => {
      await system.link.release(owner.robot, 'away');
      for (const [name, body] of Object.entries(bodies)) await image('POST', `preview/${name}`, body);
      owner = await system.owner();
      for (const [name, body] of Object.entries(bodies)) await image('POST', `preview/${name}`, body);
      owner = await system.ownerOnline({ ...hello, features: ['leds'] });
      for (const [name, body] of Object.entries(bodies))
        assert.deepEqual((await failure('POST', `preview/${name}`, body)).slice(0, 2), [501, 'not_offered'], name);
    });

    it('previews say as the face with the bubble, and show with clear as the face alone', async () => {
      await image('POST', 'preview/say', bodies.say);
      const { boxes } = system.drawn.at(-1)!.scene;
      assert.ok(boxes.some(({ kind, text }: { kind: string; text?: string }) => kind === 'text' && text === 'Good morning!'));
      assert.ok(boxes.some(({ kind }: { kind: string }) => kind === 'path'));
      await image('POST', 'preview/show', { clear: true });
      assert.ok(system.drawn.at(-1)!.scene.boxes.every(({ kind }: { kind: string }) => kind === 'path'));
    });
  });

  describe('screen', () => {
    async function showing(showing: object, work: () => Promise<void>): Promise<void> {
      const before = system.link.state!;
      system.link.state = { ...before, showing: { ...before.showing, ...showing } };
      try {
        await work();
      } finally {
        system.link.state = before;
        system.link.doing = null;
      }
    }

    /** Stores the beginning of a JPEG as a picture. @returns its hash */
    async function keepJpeg(): Promise<string> {
      const hash = randomBytes(32).toString('hex');
      const data = Buffer.concat([Buffer.from('ffd8ffe000104a464946', 'hex'), randomBytes(20)]);
      await system.store.media.put(owner.account, hash, { kind: 'picture', format: 'jpeg', w: 320, h: 240, data });
      return hash;
    }

    it('screen returns the face with emotion and bubble, or the readings, as PNG or JSON', async () => {
      const idle = { bubble: null, head: { yaw: null, pitch: null, moving: false }, leds: { pixels: null, effect: null }, sound: false };
      const scenes: unknown[] = [];
      for (const [state, bubble] of [
        [{ emotion: 'sad' }, null],
        [{ emotion: 'sad' }, 'Hello'],
        [{ emotion: 'angry' }, null],
        [{ view: 'readings' }, null],
      ] as const) {
        await showing(state, async () => {
          system.link.doing = { ...idle, bubble };
          const { type, text } = await image('GET', 'screen');
          assert.deepEqual([type, text.slice(0, 11)], ['image/png', 'picture of ']);
          const asJson = JSON.parse((await image('GET', 'screen', undefined, 'application/json')).text);
          assert.equal(Buffer.from(asJson.image, 'base64').toString(), text);
          scenes.push(system.drawn.at(-1)!.scene);
        });
      }
      assert.equal(new Set(scenes.map((scene) => JSON.stringify(scene))).size, 4);
      const texts = (scenes[1] as { boxes: { text?: string }[] }).boxes.flatMap(({ text }) => text ?? []);
      assert.deepEqual(texts, ['Hello']);
    });

    it('screen returns the card as the robot received it if that is a PNG, otherwise converted once', async () => {
      owner = await system.ownerOnline({ ...hello, screen: { ...hello.screen, formats: ['png'] } });
      assert.equal((await system.act(owner, 'show', bodies.show)).status, 200);
      const { args, attachments } = system.link.last();
      const sent = (await system.store.media.read(attachments![0]!.picture))!.toString();
      await showing({ card: args['id'] }, async () => assert.equal((await image('GET', 'screen')).text, sent));
      assert.equal(system.drawn.length, 1, 'the card alone');

      const card = newCardId(await keepJpeg());
      await showing({ card }, async () => {
        const { type, text } = await image('GET', 'screen');
        assert.equal(type, 'image/png');
        assert.equal((await image('GET', 'screen')).text, text);
        assert.deepEqual(
          system.drawn.slice(1).map(({ formats, scene }) => [formats, scene.boxes.map(({ kind }: { kind: string }) => kind)]),
          [[['png'], ['image']]],
        );
      });
    });

    it('screen returns the question if one covers a card', async () => {
      owner = await system.ownerOnline({ ...hello, screen: { ...hello.screen, formats: ['png'] } });
      assert.equal((await system.act(owner, 'show', bodies.show)).status, 200);
      const card = system.link.last().args['id'];
      const asked = new Promise<string>((resolve) => {
        system.link.onWait = async (record, robot) => {
          await showing({ card, question: `w${record.number}` }, async () => resolve((await image('GET', 'screen')).text));
          await system.link.settle(robot, record, { outcome: 'answered', index: 0, x: 1, y: 1 });
        };
      });
      const call = system.act(owner, 'ask', bodies.ask);
      const text = await asked;
      system.link.onWait = () => {};
      assert.equal((await call).body.answer, 'Yes');
      const question = await system.store.media.read({ account: owner.account, hash: text.slice('picture of '.length) });
      assert.equal(question!.toString(), text);
      assert.equal(system.drawn.length, 2);
    });

    it('shows a card from its copy once the picture has expired, and answers 404 where there is none', async () => {
      const card = newCardId(await keepJpeg());
      const holder = { robot: owner.robot, account: owner.account, session: system.link.sessionOf(owner.robot) };
      await showing({ card }, async () => {
        const { text } = await image('GET', 'screen');
        assert.equal(await system.store.screenPictures.keep(holder, card), true);
        await expireMedia(system.store, owner.account);
        assert.equal((await image('GET', 'screen')).text, text);
        await system.store.screenPictures.drop(holder);
        await expireMedia(system.store, owner.account);
        assert.deepEqual((await failure('GET', 'screen')).slice(0, 2), [404, 'not_found']);
      });
    });

    it('answers 503 robot_offline while the robot is away, and 501 if it has no screen', async () => {
      await system.link.release(owner.robot, 'away');
      assert.deepEqual((await failure('GET', 'screen')).slice(0, 2), [503, 'robot_offline']);
      owner = await system.ownerOnline({ ...hello, features: ['leds'] });
      assert.deepEqual((await failure('GET', 'screen')).slice(0, 2), [501, 'not_offered']);
    });
  });
});

async function expireMedia({ connections }: Store, account: string): Promise<void> {
  const keys = await connections.commands.keys(`perch:{${account}}:media:*`);
  if (keys.length > 0) await connections.commands.unlink(...keys);
}
