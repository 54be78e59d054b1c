import assert from 'node:assert/strict';
import { halves } from '../fixture/media/pictures.js';
import { center, question } from '../fixture/robots/question-picture.js';
import { checkedApi, onSingleInstances } from '../fixture/system/shared-systems.js';

const colors = ['#ff0000', '#00ff00', '#0000ff', '#ffff00', '#ff00ff', '#00ffff'];
const instant = { instant: true };

onSingleInstances('buttons and tiles of questions', (system) => {
  async function setUp() {
    const tenant = await system().tenant();
    const { id, robot } = await tenant.robot();
    return { tenant, id, robot, api: await checkedApi(tenant) };
  }

  it('ask draws the question above one button per answer, and each can be tapped where it is drawn', async () => {
    const { id, robot, api } = await setUp();
    const layouts = [
      ['Yes', 'No'],
      ['a', 'b', 'c'],
      ['1', '2', '3', '4'],
      ['An answer that says a good deal more than yes', 'And another one of the same kind'],
      ['👍', '👎', '🤷'],
    ];
    for (const answers of layouts) {
      for (const [index, answer] of answers.entries()) {
        const call = api.act(id, 'ask', { question: 'Which one is it?', answers });
        const picture = await question(robot);
        assert.deepEqual([picture.w, picture.h], [320, 240]);
        const background = picture.at(0, 0);
        assert.ok(picture.count(background, [0, 0, 320, 60]) < 320 * 60 - 300, 'the question stands above');
        const buttons = picture.areas(picture.dominant(background));
        assert.equal(buttons.length, answers.length);
        await robot.tap(...center(buttons[index]!), instant);
        const { body } = await call;
        assert.deepEqual([body.outcome, body.index, body.answer], ['answered', index, answer]);
      }
    }
    assert.deepEqual(robot.violations, []);
  });

  it("menu shows each picture in its own tile, and a tap answers with the tile's index, id and label as far as given", async () => {
    const { id, robot, api } = await setUp();
    const image = (i: number) => halves(60, 60, colors[i]!, colors[i]!, i % 2 === 0 ? 'png' : 'jpeg');
    const items = [
      { id: 'first', label: 'One', image: image(0) },
      { label: 'Two', image: image(1) },
      { id: 'third', image: image(2) },
      { image: image(3) },
      { id: 'first', label: 'Five', image: image(4) },
      { id: 'six', label: 'Six', image: image(5) },
    ];
    const expected = [
      ['first', 'One'],
      ['Two', 'Two'],
      ['third', null],
      [null, null],
      ['first', 'Five'],
      ['six', 'Six'],
    ];
    for (const count of [2, 6]) {
      for (let index = 0; index < count; index++) {
        const call = api.act(id, 'menu', { title: 'Choose', items: items.slice(0, count) });
        const picture = await question(robot);
        assert.ok(picture.count(picture.at(0, 0), [0, 0, 320, 38]) < 320 * 38 - 200, 'the title stands above');
        const tiles = picture.areas(colors[index]!);
        assert.equal(tiles.length, 1, `one picture of ${colors[index]} among ${count}`);
        await robot.tap(...center(tiles[0]!), instant);
        const { body } = await call;
        assert.deepEqual([body.outcome, body.index, body.item, body.label], ['answered', index, ...expected[index]!]);
      }
    }
    assert.deepEqual(robot.violations, []);
  });
});
