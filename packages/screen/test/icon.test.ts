import assert from 'node:assert/strict';
import fc from 'fast-check';
import { cardScene, menuScene, questionScene, type Box, type IconBox } from '../src/index.js';
import { assertNoOverlap, assertOnScreen, assertTappable } from './layouts.js';
import { anyText } from './texts.js';

const icon = fc.constantFrom('check', '');
const iconsOf = (boxes: readonly Box[]): IconBox[] => boxes.filter((box) => box.kind === 'icon');

describe('icons in layouts', () => {
  it('puts icons on the buttons of their own answers, clear of the texts, for any texts', () => {
    fc.assert(
      fc.property(anyText, fc.array(fc.tuple(anyText, icon), { minLength: 2, maxLength: 4 }), (question, all) => {
        const icons = all.map(([, name]) => name);
        const tappable = questionScene({ question, answers: all.map(([answer]) => answer), icons });
        assertTappable(tappable, all.length);
        assertNoOverlap(tappable.scene);
        const drawn = iconsOf(tappable.scene.boxes);
        assert.equal(drawn.length, icons.filter((name) => name !== '').length);
        for (const box of drawn) assert.ok(box.w >= 20 && box.w === box.h);
      }),
      { numRuns: 500 },
    );
  });

  it('puts icons on the tiles of their own items, clear of the labels, for any texts', () => {
    const item = fc.record({ label: anyText, icon: fc.constant('check') }, { requiredKeys: ['icon'] });
    fc.assert(
      fc.property(anyText, fc.array(item, { minLength: 2, maxLength: 6 }), (title, items) => {
        const tappable = menuScene(
          { title, items },
          items.map(() => null),
        );
        assertTappable(tappable, items.length);
        assertNoOverlap(tappable.scene);
        const drawn = iconsOf(tappable.scene.boxes);
        assert.equal(drawn.length, items.length);
        for (const box of drawn) assert.ok(box.w >= 24 && box.w === box.h);
      }),
      { numRuns: 500 },
    );
  });

  it('makes an icon large alone on a card, and puts it above a short text and at the left of a long one', () => {
    const [alone] = iconsOf(cardScene({ icon: 'bell' }).boxes);
    assert.deepEqual([alone?.w, alone?.x, alone?.y], [144, 88, 48]);
    const short = cardScene({ icon: 'bell', text: 'Tea' });
    const long = cardScene({ icon: 'bell', text: 'Somebody has been at the front door for ten minutes' });
    const [above, beside] = [short, long].map(({ boxes }) => iconsOf(boxes)[0]);
    const [under, right] = [short, long].map(({ boxes }) => boxes.find((box) => box.kind === 'text'));
    assert.ok(above && under && above.y + above.h <= under.y);
    assert.ok(beside && right && beside.x + beside.w <= right.x);
    assertOnScreen(long);
  });
});
