import assert from 'node:assert/strict';
import { colorNames } from '@perch/schema';
import { createCanvas, loadImage, type Canvas } from 'canvas';
import { isCrisp } from '../../src/encoding/encode.js';
import { photograph } from '../photographs.js';
import { halves, noise } from '../pictures.js';

const pixels = (canvas: Canvas): Uint8ClampedArray => canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;

async function isCrispAt(canvas: Canvas, quality: number): Promise<boolean> {
  const copy = createCanvas(canvas.width, canvas.height);
  copy.getContext('2d').drawImage(await loadImage(await canvas.encode('jpeg', quality)), 0, 0);
  return isCrisp(pixels(canvas), pixels(copy), canvas.width, canvas.height);
}

/** Strokes as wide as those of letters of 12 to 20 px. */
function withLetters(color: string, background: string): Canvas {
  const canvas = createCanvas(320, 240);
  const context = canvas.getContext('2d');
  context.fillStyle = background;
  context.fillRect(0, 0, 320, 240);
  context.fillStyle = color;
  for (const [line, size] of [12, 16, 20].entries()) {
    for (let letter = 0; letter < 24; letter++) {
      context.fillRect(10 + letter * size * 0.55, 20 + line * 40, 2, size);
      context.fillRect(10 + letter * size * 0.55, 20 + line * 40 + size / 2, size * 0.35, 2);
    }
  }
  return canvas;
}

describe('isCrisp', () => {
  it('accepts a picture that did not change, whatever it shows', () => {
    for (const canvas of [halves(320, 240), noise(320, 240), photograph(1, 1)]) assert.ok(isCrisp(pixels(canvas), pixels(canvas), 320, 240));
  });

  it('accepts JPEGs of photographs of every texture', async () => {
    for (let seed = 1; seed <= 8; seed++) {
      for (const detail of [0.3, 0.6, 1]) assert.ok(await isCrispAt(photograph(seed, detail), 90), `photograph ${seed}, detail ${detail}`);
    }
  });

  it('rejects JPEGs of text in saturated colours, on plain ground', async () => {
    for (const [color, background] of [
      [colorNames.red, '#000000'],
      [colorNames.red, '#101a38'],
      [colorNames.blue, '#ffffff'],
      [colorNames.blue, '#000000'],
      [colorNames.yellow, '#101a38'],
      [colorNames.orange, '#ffffff'],
      ['#ff0000', '#0000ff'],
    ] as const) {
      assert.equal(await isCrispAt(withLetters(color, background), 90), false, `${color} on ${background}`);
    }
  });

  it('rejects JPEGs of drawings whose pixels all differ from their neighbours', async () => {
    const stripes = createCanvas(320, 240);
    const context = stripes.getContext('2d');
    for (let x = 0; x < 320; x++) {
      context.fillStyle = ['#ff0000', '#00ffff', '#00ff00', '#ff00ff'][x % 4]!;
      context.fillRect(x, 0, 1, 240);
    }
    assert.equal(await isCrispAt(stripes, 95), false);
    assert.equal(await isCrispAt(noise(320, 240), 90), false);
  });

  it('rejects a changed corner of a picture whose sides are no multiples of eight', () => {
    const [original, changed] = [createCanvas(13, 11), createCanvas(13, 11)];
    const context = changed.getContext('2d');
    context.fillStyle = '#00ff00';
    context.fillRect(8, 8, 5, 3);
    assert.equal(isCrisp(pixels(original), pixels(changed), 13, 11), false);
    assert.ok(isCrisp(pixels(original), pixels(original), 13, 11));
  });
});
