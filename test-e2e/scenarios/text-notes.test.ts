import assert from 'node:assert/strict';
import { checkedApi, onSingleInstances } from '../fixture/system/shared-systems.js';
import { answersCount, left, questionShown } from '../fixture/robots/question.js';

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
    await answersCount(robot);
    await robot.tap(...left);
    assert.equal((await asked).body.answer, 'Yes');
  });
});
