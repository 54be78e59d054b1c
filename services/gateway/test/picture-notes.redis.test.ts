import assert from 'node:assert/strict';
import type { DrawJob, PictureNotes, PictureRef } from '@perch/schema';
import type { Scene } from '@perch/screen';
import { until } from '@perch/testkit';
import { fingerprint } from '../src/idempotency/idempotent-calls.js';
import { coffee, replayed, useKeyedCalls } from './keyed-calls.js';
import type { Answer } from './gateway-under-test.js';
import { hello } from './test-link.js';

const cut = 'A text that the renderer cuts';
const approval = { question: cut, answers: ['Yes', 'No'], whole: true, timeout_s: 20 };

/** Notes that name each text `cut`, and U+A66E as missing where it occurs. */
function notesOf(job: DrawJob): PictureNotes {
  const texts = (job.scene as Scene).boxes.flatMap((box) => (box.kind === 'text' ? [box] : []));
  const truncated = texts.flatMap(({ name, text }) => (text === cut && name !== undefined ? [name] : []));
  const missing = texts.some(({ text }) => text.includes('ꙮ')) ? ['ꙮ'] : [];
  return { ...(truncated.length === 0 ? {} : { truncated }), ...(missing.length === 0 ? {} : { missing }) };
}

describe('notes on pictures', () => {
  const calls = useKeyedCalls();
  const { system, owner } = calls;

  beforeEach(() => {
    for (const each of [system, calls.other]) each.notesOf = notesOf;
    system.link.onWait = (record, robot) => void system.link.settle(robot, record, { outcome: 'answered', index: 1, x: 1, y: 1 });
  });

  const act = (action: string, args: unknown): Promise<Answer> => system.act(owner, action, args);
  const answer = async (action: string, args: unknown): Promise<any> => (await act(action, args)).body;

  it('the answers of show, say, ask and menu contain notes on the picture, and no field if there are none', async () => {
    Object.assign(owner, await system.ownerOnline({ ...hello, features: [...hello.features, 'bubble_picture'] }));
    assert.deepEqual(await answer('show', { title: cut, text: 'ꙮ' }), { ok: true, truncated: ['title'], missing: ['ꙮ'] });
    assert.deepEqual(await answer('show', { title: 'short' }), { ok: true });
    assert.deepEqual(await answer('say', { text: cut }), { ok: true, truncated: ['text'] });
    assert.deepEqual(await answer('say', { text: 'short' }), { ok: true });
    const asked = await answer('ask', { ...approval, whole: false });
    assert.deepEqual([asked.answer, asked.truncated, 'missing' in asked], ['No', ['question'], false]);
    const chosen = await answer('menu', { title: 'ꙮ', items: ['a', { label: cut }] });
    assert.deepEqual([chosen.item, chosen.truncated, chosen.missing], [cut, ['items[1].label'], ['ꙮ']]);
    assert.ok(!('truncated' in (await answer('ask', coffee))));
  });

  it('the answer of a call whose picture was drawn for another one contains its notes', async () => {
    await answer('show', { text: cut });
    const drawn = system.drawn.length;
    assert.deepEqual(await answer('show', { text: cut }), { ok: true, truncated: ['text'] });
    assert.equal(system.drawn.length, drawn);
  });

  it('the answer of say contains no notes if the robot draws the bubble', async () => {
    assert.deepEqual(await answer('say', { text: cut }), { ok: true });
  });

  it("the results of a scene's actions contain notes on their pictures", async () => {
    const { results } = await answer('scene', {
      actions: [
        { action: 'show', text: cut },
        { action: 'menu', items: [cut, 'b'] },
      ],
    });
    assert.deepEqual([results[0], results[1].truncated], [{ ok: true, truncated: ['text'] }, ['items[0]']]);
  });

  it('a replay under an Idempotency-Key contains notes on the picture', async () => {
    for (const body of [await calls.act('show', { text: cut }), await calls.act('show', { text: cut })].map(({ body }) => body))
      assert.deepEqual(body, { ok: true, truncated: ['text'] });
  });

  describe('of a call taken over from a gateway that died', () => {
    const left = async (action: string, body: unknown): Promise<string> => {
      const name = await calls.callName();
      await system.store.calls.begin(owner.robot, name, { fingerprint: fingerprint(action, body), claim: 'dead', gateway: 'gw-dead' });
      return name;
    };

    it('a gateway that takes over a call whose card the robot had confirmed answers with the notes', async () => {
      const name = await left('show', { text: cut });
      await system.store.calls.keepReply(owner.robot, { call: name, at: 0 }, { t: 'ack', id: 'x', result: {} });
      const taken = await calls.act('show', { text: cut });
      assert.deepEqual([taken.body, replayed(taken), calls.sentCommands()], [{ ok: true, truncated: ['text'] }, true, []]);
    });

    it('a gateway that takes over a call omits the notes when no renderer works, although the card is shown', async () => {
      const name = await left('show', { text: cut });
      await system.store.calls.keepReply(owner.robot, { call: name, at: 0 }, { t: 'ack', id: 'x', result: {} });
      let release = (): void => {};
      const held = new Promise<void>((resolve) => (release = resolve));
      for (const each of [system, calls.other]) each.beforeDrawn = () => held;
      try {
        assert.deepEqual((await calls.act('show', { text: cut })).body, { ok: true });
      } finally {
        release();
      }
    });

    it('a gateway that takes over a question answers with the notes', async () => {
      const name = await left('ask', coffee);
      const notes = { truncated: ['answers[0]'] };
      const picture: PictureRef = {
        kind: 'picture',
        account: owner.account,
        hash: 'h',
        format: 'png',
        bytes: 1,
        crc32: 1,
        w: 320,
        h: 240,
        notes,
      };
      const wait = {
        number: (await system.store.waits.number(owner.robot))!,
        kind: 'ask' as const,
        targets: [],
        picture,
        timeoutMs: 20_000,
        gateway: 'gw-dead',
        call: 'gw-dead.1',
        requestId: 'q',
        keptMs: 600_000,
      };
      await system.store.waits.open(owner.robot, wait, { name, claim: 'dead' });
      const { body } = await calls.act('ask', coffee);
      assert.deepEqual([body.answer, body.truncated], ['No', ['answers[0]']]);
    });
  });

  describe('ask with whole: true', () => {
    const refused = async (args: object): Promise<[code: string, field: string]> => {
      const { status, body } = await act('ask', { ...approval, ...args });
      assert.equal(status, 400, JSON.stringify(body));
      return [body.code, body.field];
    };

    it('refuses a question and an answer that are cut, naming the first', async () => {
      assert.deepEqual(await refused({}), ['not_whole', 'question']);
      assert.deepEqual(await refused({ question: 'Short?', answers: ['Yes', cut] }), ['not_whole', 'answers[1]']);
    });

    it('refuses a character that no font has, naming its argument', async () => {
      assert.deepEqual(await refused({ question: 'Short?', answers: ['Yes', 'a ꙮ'] }), ['not_whole', 'answers[1]']);
    });

    it('refuses an invisible character, naming its argument and its code point, also one that is drawn as a box without whole', async () => {
      for (const [text, code] of [
        ['git\u200b push', 'U+200B'],
        ['git push\u{e0061}', 'U+E0061'],
        ['git\u0008 push', 'U+0008'],
        ['Donau\u00addampfer', 'U+00AD'],
        ['\u2067אב\u2069', 'U+2067'],
        ['git\r\npush', 'U+000D'],
        ['git\u2003push', 'U+2003'],
        ['👍\u200d👍', 'U+200D'],
      ] as const) {
        assert.deepEqual(await refused({ question: 'Short?', answers: ['Yes', text] }), ['not_whole', 'answers[1]'], code);
        const { body } = await act('ask', { ...approval, question: text });
        assert.ok(body.error.startsWith('question: ') && body.error.includes(code), body.error);
      }
      assert.deepEqual(system.link.waits, []);
      const { status, body } = await act('ask', {
        ...approval,
        question: ' Tag\tv1\n\n\n❤️\u202f\u3000  را می\u200cخواهم?\u00a0',
        answers: ['👩‍🚀', 'No'],
      });
      assert.deepEqual([status, body.answer], [200, 'No']);
    });

    it('refuses a text that is shown otherwise than it was sent', async () => {
      for (const each of [system, calls.other]) each.notesOf = () => ({ adjusted: ['answers[0]'] });
      assert.deepEqual(await refused({ question: 'Short?', answers: [`z${'\u0301'.repeat(9)}`, 'No'] }), ['not_whole', 'answers[0]']);
    });

    it('asks a question that is shown whole', async () => {
      const { status, body } = await act('ask', { ...approval, question: 'Short?' });
      assert.deepEqual([status, body.answer], [200, 'No']);
    });

    it('shows nothing of a refused question, and ends no other wait', async () => {
      system.link.onWait = () => {};
      const open = act('ask', coffee);
      await until(() => system.link.waits.length === 1);
      assert.deepEqual(await refused({}), ['not_whole', 'question']);
      assert.deepEqual([system.link.waits.length, system.link.waitEnds], [1, []]);
      await system.link.settle(owner.robot, system.link.waits[0]!, { outcome: 'answered', index: 0, x: 1, y: 1 });
      assert.equal((await open).body.answer, 'Yes');
    });

    it('answers 503 if the picture has no notes, so that it is unknown whether it is whole', async () => {
      for (const each of [system, calls.other]) each.notesOf = () => undefined;
      const { status, body } = await act('ask', { ...approval, question: 'Short?' });
      assert.deepEqual([status, body.code], [503, 'render_failed']);
      assert.deepEqual(system.link.waits, []);
    });

    it('leaves its Idempotency-Key free for the corrected question', async () => {
      assert.equal((await calls.act('ask', approval)).body.code, 'not_whole');
      assert.equal((await calls.act('ask', { ...approval, question: 'Short?' })).body.answer, 'No');
    });

    it('refuses a whole scene before its first action', async () => {
      const { status, body } = await act('scene', {
        actions: [
          { action: 'face', emotion: 'happy' },
          { action: 'ask', ...approval },
        ],
      });
      assert.deepEqual([status, body.code, body.field], [400, 'not_whole', 'actions[1].question']);
      assert.match(body.error, /^actions\[1\]\.question: /);
      assert.deepEqual(calls.sentCommands(), []);
    });
  });
});
