import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import { checkedApi, onSingleInstances } from '../fixture/system/shared-systems.js';
import { left, questionShown } from '../fixture/robots/question.js';

const sentence = 'Shall I delete the folder of the old project and everything that is in it? ';

/** Cards and questions that the service changes while they show, with the real fonts. */
onSingleInstances('pages and countdowns', (system) => {
  async function setUp() {
    const tenant = await system().tenant();
    const { id, robot } = await tenant.robot();
    return { id, robot, api: await checkedApi(tenant) };
  }

  it('show with overflow: "pages" turns the pages of a text, which is then not cut, until the next card', async () => {
    const { id, robot, api } = await setUp();
    const lines = Array.from({ length: 15 }, (_, i) => `Line ${i + 1}`).join('\n');
    assert.deepEqual((await api.act(id, 'show', { text: lines, overflow: 'pages' })).body, { ok: true });
    const first = robot.screen.card!;
    const turned = (what: string, holds: (card: typeof first) => boolean): Promise<void> =>
      robot.until(({ screen: { card } }) => card !== null && holds(card), { what });
    await turned('the second page', (card) => card.id !== first.id);
    const shown = async (): Promise<boolean> => {
      const { body } = await api.get(`/v1/robots/${id}/screen`, { headers: { accept: 'application/json' } });
      return body.image === Buffer.from(robot.screen.card!.picture).toString('base64');
    };
    await until(shown, { what: 'the page that shows, in GET screen' });
    await turned('the first page again', (card) => card.id === first.id);
    assert.deepEqual((await api.act(id, 'show', { text: 'Short', overflow: 'pages' })).body, { ok: true });
    assert.deepEqual((await api.act(id, 'show', { text: sentence.repeat(120), overflow: 'pages' })).body, { ok: true, truncated: ['text'] });
  });

  it('show with a countdown changes its card each second until its end, which stays', async () => {
    const { id, robot, api } = await setUp();
    const shown: string[] = [];
    robot.on('picture', ({ layer, id: card }) => {
      if (layer === 'card') shown.push(card);
    });
    const began = performance.now();
    assert.deepEqual((await api.act(id, 'show', { title: 'Tea', countdown: { seconds: 3, done: 'Ready' } })).body, { ok: true });
    await robot.until(({ screen }) => screen.card?.id.startsWith('card-') === true, { what: 'the end of the countdown' });
    assert.ok(performance.now() - began >= 2_900, 'no earlier than its end');
    assert.ok(shown.length >= 3 && shown.length <= 4, shown.join());
    assert.equal(new Set(shown).size, shown.length);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    assert.equal(robot.screen.card!.id, shown.at(-1));
  });

  it('ask with overflow: "pages" turns a question that does not fit, with its answers on every page; asked whole, it counts them after the last one', async () => {
    const { id, robot, api } = await setUp();
    const question = sentence.repeat(3);
    const args = { question, answers: ['Yes', 'No'], whole: true, timeout_s: 60 };
    assert.equal((await api.act(id, 'ask', args)).body.code, 'not_whole');
    const asked = api.act(id, 'ask', { ...args, overflow: 'pages' });
    await questionShown(robot);
    await robot.tap(...left, { lookMs: 1_000 });
    const { events } = (await api.get(`/v1/robots/${id}/events?after=0&names=tap&seconds=20`)).body;
    assert.equal(events[0].data.early, true);
    const shown = async (): Promise<boolean> => {
      const { body } = await api.get(`/v1/robots/${id}/screen`, { headers: { accept: 'application/json' } });
      return body.image === Buffer.from(robot.screen.question!.picture).toString('base64');
    };
    while (/g\d+$/.test(robot.screen.question!.id)) {
      const { id: page } = robot.screen.question!;
      await until(shown, { what: 'the page that shows, in GET screen' });
      await robot.tap(160, 30, { lookMs: 1_050 });
      await robot.until(({ screen }) => screen.question !== null && screen.question.id !== page, { what: `the page after ${page}` });
    }
    await until(shown, { what: 'the last page, in GET screen' });
    await robot.tap(...left);
    const { body } = await asked;
    assert.deepEqual([body.outcome, body.answer, 'truncated' in body], ['answered', 'Yes', false]);
    await robot.until(({ screen }) => screen.question === null);
  });
});
