import assert from 'node:assert/strict';
import { ApiError } from '@perch/schema';
import { createCanvas, loadImage } from 'canvas';
import { encodePicture } from '../src/encode.js';
import { halves, noise } from './pictures.js';

describe('encodePicture', () => {
  it('encodes in the first format of the robot that fits, so that a robot which prefers JPEG gets JPEG', async () => {
    const first = async (formats: ('png' | 'jpeg')[]): Promise<string> => (await encodePicture(halves(320, 240), formats, 98_304)).format;
    assert.equal(await first(['jpeg', 'png']), 'jpeg');
    assert.equal(await first(['png', 'jpeg']), 'png');
    assert.equal(await first(['webp' as 'png', 'png', 'png', 'jpeg']), 'png');
  });

  it('uses the next format before it reduces the quality of the preferred one', async () => {
    // Stripes of one pixel: small as PNG, large as JPEG at any good quality.
    const stripes = createCanvas(320, 240);
    const context = stripes.getContext('2d');
    for (let x = 0; x < 320; x += 1) {
      context.fillStyle = ['#ff0000', '#00ffff', '#00ff00', '#ff00ff'][x % 4]!;
      context.fillRect(x, 0, 1, 240);
    }
    assert.equal((await encodePicture(stripes, ['jpeg', 'png'], 5000)).format, 'png');
    assert.equal((await encodePicture(noise(320, 240), ['png', 'jpeg'], 98_304)).format, 'jpeg');
  });

  it('encodes a picture with transparent pixels as PNG for a robot that prefers JPEG and supports both', async () => {
    assert.equal((await encodePicture(createCanvas(20, 20), ['jpeg', 'png'], 98_304)).format, 'png');
    assert.equal((await encodePicture(createCanvas(20, 20), ['jpeg'], 98_304)).format, 'jpeg');
  });

  it('keeps within bytesMax and the formats of the robot, at the best quality that fits', async () => {
    const picture = noise(320, 240);
    let before = 0;
    for (const bytesMax of [8_000, 12_000, 20_000, 40_000, 98_304]) {
      const { format, bytes } = await encodePicture(picture, ['jpeg', 'png'], bytesMax);
      assert.equal(format, 'jpeg');
      assert.ok(bytes.length <= bytesMax && bytes.length > before, `${bytes.length} of ${bytesMax}`);
      before = bytes.length;
      const image = await loadImage(bytes);
      assert.deepEqual([image.width, image.height], [320, 240]);
    }
  });

  it('never encodes PNG for a robot that supports only JPEG', async () => {
    assert.equal((await encodePicture(halves(320, 240), ['jpeg'], 98_304)).format, 'jpeg');
  });

  it('reduces colours for a robot that supports only PNG', async () => {
    const { format, bytes } = await encodePicture(noise(320, 240), ['png'], 98_304);
    assert.equal(format, 'png');
    assert.ok(bytes.length <= 98_304);
  });

  it('keeps transparency in a PNG and draws dark blue behind it in a JPEG', async () => {
    const clear = createCanvas(20, 20);
    const corner = async (format: 'png' | 'jpeg'): Promise<number[]> => {
      const { bytes } = await encodePicture(clear, [format], 98_304);
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
    await assert.rejects(
      encodePicture(noise(320, 240), ['png', 'jpeg'], 500),
      (error) => error instanceof ApiError && error.code === 'render_failed',
    );
  });
});
