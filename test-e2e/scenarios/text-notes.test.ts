import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import { checkedApi, onSingleInstances } from '../fixture/system/shared-systems.js';
import { left, questionShown } from '../fixture/robots/question.js';

const long = 'Shall I delete the folder of the old project and everything that is in it? '.repeat(12);

/** Notes in responses about texts that the person does not see as they were sent, with the real fonts. */
onSingleInstances('notes on texts', (system) => {
  async function setUp(features?: string[]) {
    const tenant = await system().tenant();
    const { id, robot } = await tenant.robot(features === undefined ? {} : { features });
    return { id, robot, api: await checkedApi(tenant) };
  }

  it('show names what was cut, the characters without a font, and a colour on a plate', async () => {
    const { id, api } = await setUp();
    assert.deepEqual((await api.act(id, 'show', { title: 'Build', text: '42 %', note: '3 min left', color: 'green' })).body, { ok: true });
    assert.deepEqual((await api.act(id, 'show', { title: 'Build', text: long })).body, { ok: true, truncated: ['text'] });
    assert.deepEqual((await api.act(id, 'show', { text: 'a Ꭳ and a Ꮟ, and Ꭳ' })).body, { ok: true, missing: ['Ꭳ', 'Ꮟ'] });
    assert.deepEqual((await api.act(id, 'show', { text: 'x', color: 'red', background: 'red' })).body, { ok: true, adjusted: ['color'] });
    assert.deepEqual((await api.act(id, 'show', { text: long })).body, { ok: true, truncated: ['text'] });
  });

  it('show with overflow: "pages" turns the pages of a text, which is then not cut, until the next card', async () => {
    const { id, robot, api } = await setUp();
    const lines = Array.from({ length: 15 }, (_, i) => `Line ${i + 1}`).join('\n');
    assert.deepEqual((await api.act(id, 'show', { text: lines, overflow: 'pages' })).body, { ok: true });
    const first = robot.screen.card!;
    const turned = (what: string, holds: (card: typeof first) => boolean): Promise<void> =>
      robot.until(({ screen: { card } }) => card !== null && holds(card), { what, timeoutMs: 20_000 });
    await turned('the second page', (card) => card.id !== first.id);
    const shown = async (): Promise<boolean> => {
      const { body } = await api.get(`/v1/robots/${id}/screen`, { headers: { accept: 'application/json' } });
      return body.image === Buffer.from(robot.screen.card!.picture).toString('base64');
    };
    await until(shown, { what: 'the page that shows, in GET screen' });
    await turned('the first page again', (card) => card.id === first.id);
    assert.deepEqual((await api.act(id, 'show', { text: 'Short', overflow: 'pages' })).body, { ok: true });
    assert.deepEqual((await api.act(id, 'show', { text: long.repeat(10), overflow: 'pages' })).body, { ok: true, truncated: ['text'] });
  });

  it('show with a countdown changes its card each second until its end, which stays', async () => {
    const { id, robot, api } = await setUp();
    const shown: string[] = [];
    robot.on('picture', ({ layer, id: card }) => {
      if (layer === 'card') shown.push(card);
    });
    const began = performance.now();
    assert.deepEqual((await api.act(id, 'show', { title: 'Tea', countdown: { seconds: 3, done: 'Ready' } })).body, { ok: true });
    await robot.until(({ screen }) => screen.card?.id.startsWith('card-') === true, { what: 'the end of the countdown', timeoutMs: 10_000 });
    assert.ok(performance.now() - began >= 2_900, 'no earlier than its end');
    assert.ok(shown.length >= 3 && shown.length <= 4, shown.join());
    assert.equal(new Set(shown).size, shown.length);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    assert.equal(robot.screen.card!.id, shown.at(-1));
  });

  it('ask with overflow: "pages" turns a question that does not fit, with its answers on every page, and is asked whole', async () => {
    const { id, robot, api } = await setUp();
    const question = 'Shall I delete the folder of the old project and everything that is in it? '.repeat(3);
    const args = { question, answers: ['Yes', 'No'], whole: true, timeout_s: 60 };
    assert.equal((await api.act(id, 'ask', args)).body.code, 'not_whole');
    const asked = api.act(id, 'ask', { ...args, overflow: 'pages' });
    await questionShown(robot);
    const first = robot.screen.question!.id;
    await robot.until(({ screen }) => screen.question !== null && screen.question.id !== first, { what: 'the second page', timeoutMs: 20_000 });
    const shown = async (): Promise<boolean> => {
      const { body } = await api.get(`/v1/robots/${id}/screen`, { headers: { accept: 'application/json' } });
      return body.image === Buffer.from(robot.screen.question!.picture).toString('base64');
    };
    await until(shown, { what: 'the page that shows, in GET screen' });
    await robot.tap(...left);
    const { body } = await asked;
    assert.deepEqual([body.outcome, body.answer, 'truncated' in body], ['answered', 'Yes', false]);
    await robot.until(({ screen }) => screen.question === null);
  });

  it('say names a bubble that was cut if the service draws it', async () => {
    const { id, api } = await setUp(['screen', 'touch', 'face', 'bubble', 'bubble_picture']);
    assert.deepEqual((await api.act(id, 'say', { text: 'Good morning!' })).body, { ok: true });
    assert.deepEqual((await api.act(id, 'say', { text: 'W'.repeat(80) })).body, { ok: true, truncated: ['text'] });
  });

  it('ask, menu and scene name the arguments at fault, however the question ends', async () => {
    const { id, robot, api } = await setUp();
    const asked = api.act(id, 'ask', { question: long, answers: ['Yes', 'No'], timeout_s: 20 });
    await questionShown(robot);
    await robot.tap(...left);
    const { body } = await asked;
    assert.deepEqual([body.outcome, body.truncated], ['answered', ['question']]);
    const late = (await api.act(id, 'menu', { items: ['a', { label: long }], timeout_s: 0.1 })).body;
    assert.deepEqual([late.outcome, late.truncated], ['timed_out', ['items[1].label']]);
    const scene = (await api.act(id, 'scene', { actions: [{ action: 'show', text: long }] })).body;
    assert.deepEqual(scene.results, [{ ok: true, truncated: ['text'] }]);
  });

  it('ask with whole: true shows no question that is cut, and asks one that is whole', async () => {
    const { id, robot, api } = await setUp();
    const before = robot.commands.length;
    for (const [args, field] of [
      [{ question: long, answers: ['Yes', 'No'] }, 'question'],
      [{ question: 'Sure?', answers: ['Yes', long] }, 'answers[1]'],
      [{ question: 'Sure?', answers: ['Ꭳ', 'No'] }, 'answers[0]'],
    ] as const) {
      const { status, body } = await api.act(id, 'ask', { ...args, whole: true });
      assert.deepEqual([status, body.code, body.field], [400, 'not_whole', field]);
    }
    assert.equal(robot.commands.length, before);
    const asked = api.act(id, 'ask', { question: 'Delete it?', answers: ['Yes', 'No'], whole: true, timeout_s: 20 });
    await questionShown(robot);
    await robot.tap(...left);
    assert.equal((await asked).body.answer, 'Yes');
  });
});
