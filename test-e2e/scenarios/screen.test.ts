import assert from 'node:assert/strict';
import type { VirtualRobot } from '@perch/virtual-robot';
import { halves, Pixels } from '../fixture/media/pictures.js';
import { checkedApi, onSingleInstances } from '../fixture/system/shared-systems.js';

const darkBlue = '#0b1b3d';
const top: [number, number, number, number] = [0, 8, 320, 50];
const middle: [number, number, number, number] = [0, 70, 320, 100];
const bottom: [number, number, number, number] = [0, 185, 320, 50];

onSingleInstances('screen', (system) => {
  async function setUp() {
    const tenant = await system().tenant();
    const { id, robot } = await tenant.robot();
    const api = await checkedApi(tenant);
    const show = async (args: object): Promise<Pixels> => {
      const { status, body } = await api.act(id, 'show', args);
      assert.equal(status, 200, JSON.stringify(body));
      return cardOf(robot);
    };
    return { tenant, id, robot, api, show };
  }

  it('show draws each part of a card at its place and in its colour, in 320x240', async () => {
    const { robot, show } = await setUp();
    const text = await show({ text: 'Hello' });
    assert.deepEqual([text.w, text.h], [320, 240]);
    assert.ok(text.is(2, 2, darkBlue) && text.is(317, 237, darkBlue), 'dark blue by default');
    assert.ok(text.count('#ffffff', middle) > 1000, 'big white text in the middle');

    const title = await show({ title: 'Title' });
    assert.ok(title.count(darkBlue, top) < 320 * 50 - 200, 'small text at the top');
    assert.equal(title.count('#ffffff', top), 0, 'not white by default');
    assert.equal(title.count(darkBlue, middle), 320 * 100, 'and nothing else');

    const note = await show({ note: 'a note' });
    assert.ok(note.count(darkBlue, bottom) < 320 * 50 - 100, 'small text at the bottom');
    assert.equal(note.count(darkBlue, middle), 320 * 100);

    const colored = await show({ text: 'X', title: 'T', color: '#ff00ff', background: '#003300' });
    assert.ok(colored.is(2, 2, '#003300'));
    assert.ok(colored.count('#ff00ff', middle) > 300 && colored.count('#ff00ff', top) > 20, 'text and title in the colour');

    const named = await show({ background: 'green' });
    assert.ok(named.is(160, 120, '#34c759'), 'a named colour; background alone is a card');
    assert.deepEqual(robot.violations, []);
  });

  it('progress draws a bar as long as its share, in its colour', async () => {
    const { show } = await setUp();
    const runs = [];
    for (const progress of [0, 0.25, 0.5, 1]) runs.push((await show({ text: '%', progress, color: '#ff0000' })).longestRun('#ff0000'));
    const [none, quarter, half, whole] = runs as [number, number, number, number];
    assert.ok(whole > 250, String(runs));
    assert.ok(none < 40, String(runs));
    assert.ok(Math.abs(half / whole - 0.5) < 0.05 && Math.abs(quarter / whole - 0.25) < 0.05, String(runs));
  });

  it('an image is scaled whole into the middle with the background around it, JPEG or PNG, and parts it leaves no space for are named', async () => {
    const { id, robot, api, show } = await setUp();
    for (const format of ['png', 'jpeg'] as const) {
      const wide = await show({ image: halves(640, 240, '#ff0000', '#0000ff', format), background: '#00ff00' });
      assert.ok(wide.is(60, 120, '#ff0000') && wide.is(260, 120, '#0000ff'), `${format}: left and right`);
      assert.ok(wide.is(160, 30, '#00ff00') && wide.is(160, 210, '#00ff00'), `${format}: above and below`);
    }
    const high = await show({ image: `data:image/png;base64,\n${halves(120, 240, '#ff0000', '#0000ff')}` });
    assert.ok(high.is(20, 120, darkBlue) && high.is(130, 120, '#ff0000') && high.is(190, 120, '#0000ff') && high.is(300, 120, darkBlue));

    const image = halves(320, 240, '#ffffff', '#000000');
    const { body } = await api.act(id, 'show', { image, text: 'a', title: 'b', note: 'c', progress: 0.5, color: 'red', background: 'blue' });
    assert.deepEqual(body.ignored.toSorted(), ['color', 'note', 'progress', 'text', 'title']);
    assert.equal((await cardOf(robot)).count('#ff3b30'), 0);
    assert.ok(!('ignored' in (await api.act(id, 'show', { image, background: 'blue' })).body));
  });

  it('a new card replaces the last one, clear returns to the face, and clear: false is like absent', async () => {
    const { id, robot, api, show } = await setUp();
    await show({ text: 'one' });
    const first = robot.screen.card!.id;
    await show({ text: 'two', clear: false });
    assert.notEqual(robot.screen.card!.id, first);
    assert.equal((await api.act(id, 'show', { clear: true })).status, 200);
    assert.equal(robot.screen.card, null);
    assert.equal((await api.act(id, 'show', { clear: true })).status, 200, 'clearing what is clear is no error');
    assert.equal((await api.act(id, 'show', { clear: false })).status, 400, 'nothing to do');
  });

  it('a show during a question changes the card beneath it, which is visible once the question has ended', async () => {
    const { id, robot, api, show } = await setUp();
    const call = api.act(id, 'ask', { question: 'Q?', answers: ['a', 'b'] });
    await robot.until((r) => r.screen.question !== null);
    const question = robot.screen.question!.id;
    await show({ background: '#123456' });
    assert.equal(robot.screen.question?.id, question);
    await robot.tap(60, 170);
    assert.equal((await call).body.outcome, 'answered');
    await robot.until((r) => r.screen.question === null);
    assert.ok((await cardOf(robot)).is(9, 9, '#123456'));
  });

  it('text of any script can be shown: characters with a glyph are drawn, others do not fail', async () => {
    const { show } = await setUp();
    for (const text of ['Grüße, Ελλάδα, Україна', 'こんにちは', '你好', '안녕', 'سلام', 'שלום', 'สวัสดี', '🤖👩‍👩‍👧‍👦🇩🇪', '𒀀\u0000\ud800']) {
      assert.ok((await show({ text })).count(darkBlue, [0, 0, 320, 240]) < 320 * 240 - 150, text);
    }
  });

  it('say shows a bubble for its duration, 6 s by default, and is rejected under a card or a question', async () => {
    const { id, robot, api } = await setUp();
    assert.equal((await api.act(id, 'say', { text: 'Hi 👋', seconds: 30 })).status, 200);
    assert.deepEqual([robot.bubble?.text, robot.bubble?.seconds], ['Hi 👋', 30]);
    await api.act(id, 'say', { text: 'x'.repeat(80) });
    assert.deepEqual([robot.bubble?.text.length, robot.bubble?.seconds], [80, 6]);

    await api.act(id, 'show', { text: 'card' });
    const underCard = await api.act(id, 'say', { text: 'no' });
    assert.deepEqual([underCard.status, underCard.body.code], [400, 'card_showing']);
    await api.act(id, 'show', { clear: true });
    assert.equal((await api.act(id, 'say', { text: 'yes', seconds: 0.5 })).status, 200);
    assert.equal(robot.bubble?.seconds, 0.5);

    const call = api.act(id, 'ask', { question: 'Q?', answers: ['a', 'b'] });
    await robot.until((r) => r.screen.question !== null);
    assert.equal((await api.act(id, 'say', { text: 'no' })).body.code, 'card_showing');
    await robot.tap(60, 170);
    assert.equal((await call).status, 200);
  });

  it('a robot without the fonts of a text gets its bubble as a picture', async () => {
    const tenant = await system().tenant();
    const { id, robot } = await tenant.robot({ features: ['screen', 'touch', 'face', 'bubble', 'bubble_picture'] });
    const api = await checkedApi(tenant);
    assert.equal((await api.act(id, 'say', { text: 'こんにちは' })).status, 200);
    const bubble = await Pixels.of(robot.bubble!.picture);
    assert.ok(bubble.w <= 320 && bubble.h <= 240 && bubble.count('#08142e') > 100, 'dark text');
    assert.deepEqual(robot.violations, []);
  });

  it('face sets each emotion and each view, and leaves the other as it was', async () => {
    const { id, robot, api } = await setUp();
    for (const emotion of ['happy', 'angry', 'sad', 'doubt', 'sleepy', 'neutral']) {
      assert.equal((await api.act(id, 'face', { emotion })).status, 200);
      assert.deepEqual(robot.face, { emotion, view: 'face' });
    }
    await api.act(id, 'face', { view: 'readings' });
    assert.deepEqual(robot.face, { emotion: 'neutral', view: 'readings' });
    await api.act(id, 'face', { emotion: 'sad', view: 'face' });
    assert.deepEqual(robot.face, { emotion: 'sad', view: 'face' });
    assert.deepEqual(robot.violations, []);
  });
});

function cardOf(robot: VirtualRobot): Promise<Pixels> {
  return Pixels.of(robot.screen.card);
}
