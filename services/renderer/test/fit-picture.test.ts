import assert from 'node:assert/strict';
import { createCanvas } from 'canvas';
import fc from 'fast-check';
import { decodePicture, drawImage, sizeInBox, sizeWithin } from '../src/fit-picture.js';
import { halves, noise } from './pictures.js';
import { isBlue, isRed, pixel } from './pixels.js';

describe('drawImage', () => {
  async function drawn(fit: 'contain' | 'cover'): Promise<(x: number, y: number) => number[]> {
    const image = await decodePicture(halves(100, 20).toBuffer('image/png'), 'x');
    const canvas = createCanvas(60, 60);
    const context = canvas.getContext('2d');
    context.fillStyle = '#00ff00';
    context.fillRect(0, 0, 60, 60);
    drawImage(context, image, { kind: 'image', x: 10, y: 10, w: 40, h: 40, upload: 'x', fit });
    return (x, y) => [...context.getImageData(x, y, 1, 1).data];
  }

  it('draws all of a contained picture in the middle of its box and nothing outside it', async () => {
    const at = await drawn('contain');
    assert.ok(isRed(at(12, 30)) && isBlue(at(48, 30)));
    for (const [x, y] of [
      [12, 20],
      [48, 40],
      [5, 30],
      [55, 30],
    ] as const)
      assert.deepEqual(at(x, y), [0, 255, 0, 255]);
  });

  it('fills the box with the middle of a covering picture, and draws nothing outside it', async () => {
    const at = await drawn('cover');
    assert.ok(isRed(at(12, 12)) && isBlue(at(48, 48)));
    for (const [x, y] of [
      [5, 30],
      [55, 30],
      [30, 5],
      [30, 55],
    ] as const)
      assert.deepEqual(at(x, y), [0, 255, 0, 255]);
  });

  it('draws a line of one pixel as a line of one pixel, however long it is', async () => {
    const line = createCanvas(4096, 1);
    const drawing = line.getContext('2d');
    drawing.fillStyle = '#ffffff';
    drawing.fillRect(0, 0, 4096, 1);
    for (const fit of ['contain', 'cover'] as const) {
      const canvas = createCanvas(320, 240);
      const context = canvas.getContext('2d');
      drawImage(context, await decodePicture(line.toBuffer('image/png'), 'x'), { kind: 'image', x: 0, y: 0, w: 320, h: 240, upload: 'x', fit });
      const lit = Array.from({ length: 240 }, (_, y) => context.getImageData(160, y, 1, 1).data[3]!).filter((alpha) => alpha > 0);
      assert.deepEqual(lit, fit === 'contain' ? [255] : Array.from({ length: 240 }, () => 255));
    }
  });

  it('enlarges an icon without mixing its colours', async () => {
    const icon = await decodePicture(noise(16, 16).toBuffer('image/png'), 'x');
    const canvas = createCanvas(320, 240);
    const context = canvas.getContext('2d');
    drawImage(context, icon, { kind: 'image', x: 0, y: 0, w: 320, h: 240, upload: 'x', fit: 'contain' });
    for (const [x, y] of [
      [0, 0],
      [7, 3],
      [15, 15],
    ] as const) {
      for (const [dx, dy] of [
        [0, 0],
        [14, 14],
      ] as const)
        assert.deepEqual([...context.getImageData(40 + 15 * x + dx, 15 * y + dy, 1, 1).data], pixel(icon, x, y));
    }
  });
});

describe('sizeInBox', () => {
  const side = fc.integer({ min: 1, max: 4096 });
  const box = { w: fc.integer({ min: 1, max: 1024 }), h: fc.integer({ min: 1, max: 1024 }) };

  it('shows all of a contained picture, touches the box on a side, and is never thinner than a pixel', () => {
    fc.assert(
      fc.property(side, side, box.w, box.h, (width, height, w, h) => {
        const size = sizeInBox({ width, height }, { w, h, fit: 'contain' });
        assert.ok(size.w >= 1 && size.h >= 1 && size.w <= w && size.h <= h);
        const isIcon = Math.max(width, height) <= 64 && Math.min(w / width, h / height) > 1;
        if (!isIcon) assert.ok(size.w === w || size.h === h);
      }),
    );
  });

  it('fills the box with a covering picture', () => {
    fc.assert(
      fc.property(side, side, box.w, box.h, (width, height, w, h) => {
        const size = sizeInBox({ width, height }, { w, h, fit: 'cover' });
        assert.ok(size.w >= w && size.h >= h);
      }),
    );
  });

  it('enlarges a picture of up to 64 px a side by the largest whole number that fits', () => {
    const screen = { w: 320, h: 240, fit: 'contain' } as const;
    assert.deepEqual(sizeInBox({ width: 32, height: 32 }, screen), { w: 224, h: 224 });
    assert.deepEqual(sizeInBox({ width: 64, height: 48 }, screen), { w: 320, h: 240 });
    assert.deepEqual(sizeInBox({ width: 64, height: 64 }, { w: 84, h: 84, fit: 'contain' }), { w: 64, h: 64 });
    assert.deepEqual(sizeInBox({ width: 65, height: 65 }, { w: 84, h: 84, fit: 'contain' }), { w: 84, h: 84 });
  });
});

describe('sizeWithin', () => {
  it('keeps a picture within the bounds, never enlarges it, and keeps its aspect ratio', () => {
    const side = fc.integer({ min: 1, max: 4096 });
    fc.assert(
      fc.property(side, side, fc.integer({ min: 1, max: 1024 }), fc.integer({ min: 1, max: 1024 }), (width, height, wMax, hMax) => {
        const { w, h } = sizeWithin({ width, height }, wMax, hMax);
        assert.ok(w >= 1 && h >= 1 && w <= Math.min(width, wMax) && h <= Math.min(height, hMax));
        assert.ok(Math.abs(w - (h * width) / height) <= Math.max(1, width / height));
      }),
    );
  });
});
