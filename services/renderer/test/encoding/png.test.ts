import assert from 'node:assert/strict';
import { inflateSync } from 'node:zlib';
import { createCanvas, loadImage } from 'canvas';
import fc from 'fast-check';
import { indexedPixels } from '../../src/encoding/palette.js';
import { encodeIndexedPng, encodePng } from '../../src/encoding/png.js';
import { checkPng } from '../../src/check-picture.js';

/** Skia's decoder is independent of our encoder. */
async function decoded(png: Buffer): Promise<{ w: number; h: number; pixels: Uint8ClampedArray }> {
  await checkPng(png);
  const image = await loadImage(png);
  const canvas = createCanvas(image.width, image.height);
  const context = canvas.getContext('2d');
  context.drawImage(image, 0, 0);
  return { w: image.width, h: image.height, pixels: context.getImageData(0, 0, image.width, image.height).data };
}

/** Pixels of a picture with few or many colours; opaque. */
const pictures = fc
  .record({ w: fc.integer({ min: 1, max: 40 }), h: fc.integer({ min: 1, max: 40 }), colors: fc.integer({ min: 1, max: 1600 }), seed: fc.nat() })
  .map(({ w, h, colors, seed }) => {
    const pixels = new Uint8ClampedArray(4 * w * h);
    for (let i = 0; i < w * h; i++) {
      const color = ((i % colors) * 2_654_435_761 + seed) >>> 0;
      pixels.set([color & 255, (color >>> 8) & 255, (color >>> 16) & 255, 255], 4 * i);
    }
    return { w, h, pixels };
  });

describe('PNGs of the renderer', () => {
  it('have every pixel of an opaque picture, and no alpha channel', async () => {
    await fc.assert(
      fc.asyncProperty(pictures, async ({ w, h, pixels }) => {
        const png = encodePng(pixels, w, h, true);
        assert.equal(png[25], 2, 'colour type RGB');
        assert.deepEqual(await decoded(png), { w, h, pixels });
      }),
      { numRuns: 60 },
    );
  });

  it('keep the transparency of a picture that has any', async () => {
    const pixels = new Uint8ClampedArray([255, 0, 0, 255, 0, 255, 0, 0, 0, 0, 255, 255, 9, 9, 9, 255]);
    const png = encodePng(pixels, 2, 2, false);
    assert.equal(png[25], 6, 'colour type RGBA');
    const { pixels: read } = await decoded(png);
    assert.deepEqual([read[3], read[7], read[11]], [255, 0, 255]);
    assert.deepEqual([...read.subarray(0, 3)], [255, 0, 0]);
  });

  it('with a palette have the exact colours of a picture with at most 256, and otherwise none differs by more than 3 of 255', async () => {
    let withPalette = 0;
    await fc.assert(
      fc.asyncProperty(pictures, async ({ w, h, pixels }) => {
        const indexed = indexedPixels(pixels);
        const colors = new Set(new Uint32Array(pixels.buffer)).size;
        if (indexed === null) return assert.ok(colors > 256, `${colors} colours`);
        withPalette += 1;
        assert.ok(indexed.palette.length <= 3 * 256);
        const png = encodeIndexedPng(indexed, w, h);
        assert.equal(png[25], 3, 'colour type indexed');
        const read = (await decoded(png)).pixels;
        const most = read.reduce((max, value, i) => Math.max(max, Math.abs(value - pixels[i]!)), 0);
        assert.ok(most <= (colors <= 256 ? 0 : 3), `${most} at ${colors} colours`);
      }),
      { numRuns: 60 },
    );
    assert.ok(withPalette > 10, `${withPalette} with a palette`);
  });

  it('with a palette keep black black and white white', () => {
    const many = new Uint8ClampedArray(4 * 1000).fill(255);
    for (let i = 0; i < 600; i++) many.set([i % 4, i >> 2, 0, 255], 4 * i);
    const { palette, indexes } = indexedPixels(many)!;
    const at = (pixel: number): number[] => [...palette.subarray(3 * indexes[pixel]!, 3 * indexes[pixel]! + 3)];
    assert.deepEqual(
      [at(0), at(999)],
      [
        [0, 0, 0],
        [255, 255, 255],
      ],
    );
  });

  it('with a palette have the exact colours of most pixels, and the most frequent one at index 0, the byte before each row', () => {
    // A background, and text of 500 similar colours.
    const pixels = new Uint8ClampedArray(4 * 4000);
    for (let i = 0; i < 4000; i++) pixels.set(i % 4 === 0 ? [(i / 4) % 250, (i / 4) % 250, 90 + (i % 8) / 4, 255] : [11, 27, 61, 255], 4 * i);
    const { palette, indexes } = indexedPixels(pixels)!;
    assert.deepEqual([...palette.subarray(0, 3)], [11, 27, 61]);
    assert.ok(indexes.every((index, i) => (index === 0) === (i % 4 !== 0)));
    assert.ok(palette.length < 3 * 256, 'similar colours share an index');
  });

  it('have no filters, so that a decoder with little memory needs no former row', () => {
    const pixels = new Uint8ClampedArray(4 * 20 * 10).map((_, i) => (i % 4 === 3 ? 255 : i % 251));
    const png = encodePng(pixels, 20, 10, true);
    const length = png.readUInt32BE(33);
    const rows = inflateSync(png.subarray(41, 41 + length));
    for (let y = 0; y < 10; y++) assert.equal(rows[y * 61], 0);
  });
});
