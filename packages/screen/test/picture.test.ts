import assert from 'node:assert/strict';
import fc from 'fast-check';
import { bubbleScene, fittedScene, pictureScene, theme } from '../src/index.js';
import { assertOnScreen } from './layouts.js';
import { anyText } from './texts.js';

describe('pictureScene', () => {
  it('shows the whole picture on the given background, dark blue by default', () => {
    const scene = pictureScene('upload', 'white');
    assert.equal(scene.background, '#ffffff');
    assert.deepEqual(scene.boxes, [{ kind: 'image', x: 0, y: 0, w: 320, h: 240, upload: 'upload', fit: 'contain' }]);
    const { background, boxes } = pictureScene('upload');
    assert.equal(background, theme.background);
    assert.deepEqual(boxes, [{ ...scene.boxes[0], backing: theme.backing }]);
  });
});

describe('fittedScene', () => {
  it('returns a transparent picture of bounded integer size, for any bounds that a robot declares', () => {
    fc.assert(
      fc.property(fc.double({ min: -1e9, max: 1e9, noNaN: true }), fc.double({ min: -1e9, max: 1e9, noNaN: true }), (w, h) => {
        const scene = fittedScene('upload', w, h);
        assert.ok([scene.w, scene.h].every((side) => Number.isInteger(side) && side >= 1 && side <= 1024));
        assert.equal(scene.shrink, true);
        assert.equal(scene.background, 'transparent');
      }),
    );
  });
});

describe('bubbleScene', () => {
  it('fits on the screen for any text, and grows with the text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const scene = bubbleScene(text);
        assertOnScreen(scene);
        assert.ok(scene.w <= 296 && scene.h <= 136 && scene.w >= 40 && scene.h >= 40);
      }),
    );
    assert.ok(bubbleScene('Hi').w < bubbleScene('Hello, how are you?').w);
    assert.ok(bubbleScene('Hi').h < bubbleScene('x '.repeat(40)).h);
  });

  it('has room for texts in wide letters, and for words that begin a new line', () => {
    assert.ok(bubbleScene('नमस्ते दुनिया').w >= 150);
    assert.ok(bubbleScene('മലയാളം').w >= 110);
    assert.equal(bubbleScene('kitchen of please afternoon temperature afternoon a something is is').h, 4 * 29 + 20);
  });
});
