import assert from 'node:assert/strict';
import { createCanvas, type SKRSContext2D } from 'canvas';
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

describe('the backing of a transparent picture', () => {
  const box = { kind: 'image', x: 4, y: 4, w: 60, h: 40, upload: 'x', fit: 'contain', radius: 6 } as const;

  /** Returns the colour beside the picture, in its box: its background or the backing. @param paint draws a picture of 40 x 40 px */
  async function beside(paint: (context: SKRSContext2D) => void, backing: string | null = '#ffffff'): Promise<number[]> {
    const source = createCanvas(40, 40);
    paint(source.getContext('2d'));
    const context = createCanvas(80, 50).getContext('2d');
    context.fillStyle = '#0b1b3d';
    context.fillRect(0, 0, 80, 50);
    drawImage(context, await decodePicture(source.toBuffer('image/png'), 'x'), { ...box, ...(backing === null ? {} : { backing }) });
    assert.deepEqual([...context.getImageData(2, 2, 1, 1).data], [11, 27, 61, 255], 'outside the box');
    return [...context.getImageData(8, 24, 1, 1).data].slice(0, 3);
  }

  const [light, dark] = [
    [255, 255, 255],
    [11, 27, 61],
  ];
  const ring =
    (color: string, width = 4) =>
    (context: SKRSContext2D): void => {
      context.strokeStyle = color;
      context.lineWidth = width;
      context.arc(20, 20, 14, 0, 2 * Math.PI);
      context.stroke();
    };
  const corners = (color: string) => (context: SKRSContext2D) => {
    context.fillStyle = color;
    context.roundRect(0, 0, 40, 40, 8);
    context.fill();
  };

  for (const [what, paint, expected] of [
    ['a black ring on nothing', ring('#000000'), light],
    ['a ring of dark grey, thin', ring('#333333', 1), light],
    ['a half transparent black ring', ring('#00000080'), light],
    ['a white ring', ring('#ffffff'), dark],
    ['a ring of middle grey', ring('#777777'), dark],
    ['a red ring', ring('#ff3b30'), dark],
    ['a black picture with round corners', corners('#000000'), dark],
    ['nothing at all', () => {}, dark],
    [
      'a black ring with a large white mark',
      (context: SKRSContext2D) => {
        ring('#000000')(context);
        context.fillStyle = '#ffffff';
        context.fillRect(14, 14, 12, 12);
      },
      dark,
    ],
  ] as const)
    it(`is ${expected === light ? 'drawn' : 'not drawn'} behind ${what}`, async () => assert.deepEqual(await beside(paint), expected));

  it('is not drawn without a colour for it', async () => assert.deepEqual(await beside(ring('#000000'), null), dark));
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
