import assert from 'node:assert/strict';
import fc from 'fast-check';
import { contrast, menuScene, type MenuItem } from '../src/index.js';
import { assertTappable } from './layouts.js';
import { anyText } from './texts.js';

const anyItem: fc.Arbitrary<MenuItem> = fc.oneof(
  anyText,
  anyText.map((label) => ({ id: 'x', label })),
  fc.constant({ image: 'AAAA' }),
);

describe('menuScene', () => {
  it('gives every item of any menu its own tile: on the screen, large enough for a finger, where it is drawn', () => {
    fc.assert(
      fc.property(
        fc.option(anyText, { nil: undefined }),
        fc.array(fc.tuple(anyItem, fc.boolean()), { minLength: 2, maxLength: 6 }),
        (title, entries) => {
          const uploads = entries.map(([, pictured], i) => (pictured ? `upload-${i}` : null));
          const items = entries.map(([item]) => item);
          assertTappable(menuScene(title === undefined ? { items } : { title, items }, uploads), items.length);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('shows the picture above the label, both inside the tile', () => {
    for (const count of [2, 3, 4, 5, 6]) {
      const items = Array.from({ length: count }, (_, i) => ({ label: `Item ${i}` }));
      const { scene, targets } = menuScene(
        { title: 'Menu', items },
        items.map((_, i) => `upload-${i}`),
      );
      targets.forEach((tile, i) => {
        const image = scene.boxes.find((box) => box.kind === 'image' && box.upload === `upload-${i}`);
        const label = scene.boxes.find((box) => box.kind === 'text' && box.text === `Item ${i}`);
        assert.ok(tile.shape === 'rect' && image && label);
        assert.ok(image.y + image.h <= label.y + 2);
        for (const box of [image, label]) {
          assert.ok(box.x >= tile.x && box.x + box.w <= tile.x + tile.w && box.y >= tile.y && box.y + box.h <= tile.y + tile.h);
        }
      });
    }
  });

  it('fills the tile with a picture without a label', () => {
    const { scene } = menuScene({ items: [{ image: 'AAAA' }, 'b'] }, ['upload', null]);
    const image = scene.boxes.find((box) => box.kind === 'image');
    assert.ok(image && image.h > 180);
  });

  it('shows the emoji at the start of a label as its picture', () => {
    const { scene } = menuScene({ items: ['🍕 Pizza', '🥗 Salad'] }, [null, null]);
    assert.deepEqual(
      scene.boxes.flatMap((box) => (box.kind === 'text' ? [box.text] : [])),
      ['🍕', 'Pizza', '🥗', 'Salad'],
    );
  });

  it('reserves no space for an absent title', () => {
    const top = (title?: string): number => {
      const [target] = menuScene(title === undefined ? { items: ['a', 'b'] } : { title, items: ['a', 'b'] }, [null, null]).targets;
      return target?.shape === 'rect' ? target.y : NaN;
    };
    assert.ok(top() < top('Title'));
    assert.equal(top(' \n '), top());
  });

  it('uses a readable text colour on its tiles', () => {
    const { scene } = menuScene({ title: 'Title', items: ['a', 'b'] }, [null, null]);
    const [title, tile, label] = scene.boxes;
    assert.ok(title?.kind === 'text' && tile?.kind === 'fill' && label?.kind === 'text');
    assert.ok(contrast(tile.color, label.color) >= 4.5 && contrast(scene.background, title.color) >= 4.5);
  });
});
