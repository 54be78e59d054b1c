import assert from 'node:assert/strict';
import { ApiError } from '@perch/schema';
import { createCanvas, loadImage, type Canvas } from 'canvas';
import fc from 'fast-check';
import { encodePicture, type Encoded, type PictureFormat } from '../../src/encoding/encode.js';
import { photograph } from '../photographs.js';
import { halves, noise } from '../pictures.js';

const encoded = (canvas: Canvas, formats: readonly PictureFormat[], bytesMax = 98_304, hasUploads = true): Promise<Encoded> =>
  encodePicture(canvas, { formats, bytesMax, hasUploads });

function stripes(): Canvas {
  const canvas = createCanvas(320, 240);
  const context = canvas.getContext('2d');
  for (let x = 0; x < 320; x++) {
    context.fillStyle = ['#ff0000', '#00ffff', '#00ff00', '#ff00ff'][x % 4]!;
    context.fillRect(x, 0, 1, 240);
  }
  return canvas;
}

describe('encodePicture', () => {
  it('sends a photograph as a JPEG of at most a third of the bytes of its PNG, in either order of the formats', async () => {
    for (let seed = 1; seed <= 6; seed++) {
      const photo = photograph(seed, 0.3 + seed / 10);
      const png = await photo.encode('png');
      for (const formats of [
        ['png', 'jpeg'],
        ['jpeg', 'png'],
      ] as const) {
        const { format, bytes } = await encoded(photo, formats);
        assert.equal(format, 'jpeg');
        assert.ok(bytes.length * 3 <= png.length, `${bytes.length} of ${png.length} bytes`);
      }
    }
  });

  it('sends plain drawings as PNG, also to a robot that prefers JPEG', async () => {
    for (const drawing of [halves(320, 240), stripes()]) {
      for (const hasUploads of [true, false]) assert.equal((await encoded(drawing, ['jpeg', 'png'], 98_304, hasUploads)).format, 'png');
    }
  });

  it('sends a picture that is at most a tenth larger than in the other format', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.integer({ min: 1, max: 120 }), fc.integer({ min: 1, max: 90 }), async (seed, w, h) => {
        const photo = photograph(seed, (seed % 10) / 10, w, h);
        const png = (await encoded(photo, ['png'])).bytes.length;
        const [pngFirst, jpegFirst] = [await encoded(photo, ['png', 'jpeg']), await encoded(photo, ['jpeg', 'png'])];
        assert.ok(pngFirst.bytes.length <= png);
        assert.ok(0.9 * jpegFirst.bytes.length <= png, `${jpegFirst.format} of ${jpegFirst.bytes.length} bytes, PNG of ${png}`);
        assert.ok(0.9 * pngFirst.bytes.length <= jpegFirst.bytes.length, `${pngFirst.bytes.length} and ${jpegFirst.bytes.length} bytes`);
      }),
      { numRuns: 50 },
    );
  });

  it('sends the format that the robot prefers where the other is less than a tenth smaller, and the smaller one beyond that', async () => {
    const counts = { preferred: 0, smaller: 0 };
    for (let w = 8; w <= 48; w += 2) {
      const photo = photograph(7, 0.5, w, 20);
      const [png, jpeg] = [(await encoded(photo, ['png'])).bytes.length, (await photo.encode('jpeg', 90)).length];
      const formats = [(await encoded(photo, ['png', 'jpeg'])).format, (await encoded(photo, ['jpeg', 'png'])).format];
      const isNear = Math.min(png, jpeg) >= 0.9 * Math.max(png, jpeg);
      counts[isNear ? 'preferred' : 'smaller']++;
      const smaller = png < jpeg ? 'png' : 'jpeg';
      assert.deepEqual(formats, isNear ? ['png', 'jpeg'] : [smaller, smaller], `${w} px wide: PNG ${png}, JPEG ${jpeg} bytes`);
    }
    assert.ok(counts.preferred > 0 && counts.smaller > 0, JSON.stringify(counts));
  });

  it('sends a photograph with coloured text over it so that the text stays as it was, within 40 of 255 on its ground', async () => {
    const photo = photograph(3, 0.5);
    const context = photo.getContext('2d');
    context.fillStyle = '#101a38';
    context.fillRect(20, 150, 280, 70);
    context.fillStyle = '#ff3b30';
    for (let letter = 0; letter < 20; letter++) context.fillRect(30 + letter * 13, 165, 2, 40);
    const { bytes } = await encoded(photo, ['png', 'jpeg']);
    const copy = createCanvas(320, 240);
    copy.getContext('2d').drawImage(await loadImage(bytes), 0, 0);
    const ground = copy.getContext('2d').getImageData(35, 170, 4, 30).data;
    for (const [i, channel] of [0x10, 0x1a, 0x38].entries())
      for (let at = i; at < ground.length; at += 4) assert.ok(Math.abs(ground[at]! - channel) <= 40, `${ground[at]} for ${channel}`);
  });

  it('ignores formats that it does not know', async () => {
    assert.equal((await encoded(halves(320, 240), ['webp' as 'png', 'png', 'png', 'jpeg'])).format, 'png');
  });

  it('sends a JPEG if the PNG does not fit, and neither in bad quality', async () => {
    assert.equal((await encoded(stripes(), ['jpeg', 'png'], 5000)).format, 'png');
    assert.equal((await encoded(noise(320, 240), ['png', 'jpeg'])).format, 'jpeg');
  });

  it('encodes a picture with transparent pixels as PNG for a robot that prefers JPEG and supports both', async () => {
    assert.equal((await encoded(createCanvas(20, 20), ['jpeg', 'png'])).format, 'png');
    assert.equal((await encoded(createCanvas(20, 20), ['jpeg'])).format, 'jpeg');
  });

  it('keeps within bytesMax and the formats of the robot, at the best quality that fits', async () => {
    const picture = noise(320, 240);
    let before = 0;
    for (const bytesMax of [8_000, 12_000, 20_000, 40_000, 98_304]) {
      const { format, bytes } = await encoded(picture, ['jpeg', 'png'], bytesMax);
      assert.equal(format, 'jpeg');
      assert.ok(bytes.length <= bytesMax && bytes.length > before, `${bytes.length} of ${bytesMax}`);
      before = bytes.length;
      const image = await loadImage(bytes);
      assert.deepEqual([image.width, image.height], [320, 240]);
    }
  });

  it('never encodes PNG for a robot that supports only JPEG', async () => {
    assert.equal((await encoded(halves(320, 240), ['jpeg'])).format, 'jpeg');
  });

  it('reduces colours for a robot that supports only PNG', async () => {
    const { format, bytes } = await encoded(noise(320, 240), ['png']);
    assert.equal(format, 'png');
    assert.ok(bytes.length <= 98_304);
  });

  it('keeps transparency in a PNG and draws dark blue behind it in a JPEG', async () => {
    const clear = createCanvas(20, 20);
    const corner = async (format: 'png' | 'jpeg'): Promise<number[]> => {
      const { bytes } = await encoded(clear, [format]);
      const canvas = createCanvas(20, 20);
      const context = canvas.getContext('2d');
      context.drawImage(await loadImage(bytes), 0, 0);
      return [...context.getImageData(10, 10, 1, 1).data];
    };
    assert.equal((await corner('png'))[3], 0);
    const [r = 0, g = 0, b = 0, a] = await corner('jpeg');
    assert.ok(a === 255 && r < 30 && g < 45 && b > 40);
  });

  it('rejects a picture that does not fit instead of sending too much', async () => {
    await assert.rejects(encoded(noise(320, 240), ['png', 'jpeg'], 500), (error) => error instanceof ApiError && error.code === 'render_failed');
  });
});
