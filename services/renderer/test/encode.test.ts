import assert from 'node:assert/strict';
import { ApiError } from '@perch/schema';
import { createCanvas, loadImage } from 'canvas';
import { encodePicture } from '../src/encode.js';
import { halves, noise } from './pictures.js';

describe('encodePicture', () => {
  it('takes PNG where it fits, which keeps every pixel', async () => {
    const { format, bytes } = await encodePicture(halves(320, 240), ['jpeg', 'png'], 98_304);
    assert.equal(format, 'png');
    assert.equal(bytes.toString('latin1', 1, 4), 'PNG');
  });

  it('keeps to bytesMax and to the formats of the robot, at the best quality that fits', async () => {
    const picture = noise(320, 240);
    let before = 0;
    for (const bytesMax of [8_000, 12_000, 20_000, 40_000, 98_304]) {
      const { format, bytes } = await encodePicture(picture, ['png', 'jpeg'], bytesMax);
      assert.equal(format, 'jpeg');
      assert.ok(bytes.length <= bytesMax && bytes.length > before, `${bytes.length} of ${bytesMax}`);
      before = bytes.length;
      const image = await loadImage(bytes);
      assert.deepEqual([image.width, image.height], [320, 240]);
    }
  });

  it('gives a robot that takes JPEG alone no PNG', async () => {
    assert.equal((await encodePicture(halves(320, 240), ['jpeg'], 98_304)).format, 'jpeg');
  });

  it('takes colours away where a robot takes PNG alone', async () => {
    const { format, bytes } = await encodePicture(noise(320, 240), ['png'], 98_304);
    assert.equal(format, 'png');
    assert.ok(bytes.length <= 98_304);
  });

  it('keeps transparency in a PNG and puts dark blue behind it in a JPEG', async () => {
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

  it('says that nothing fits rather than sending too much', async () => {
    await assert.rejects(
      encodePicture(noise(320, 240), ['png', 'jpeg'], 500),
      (error) => error instanceof ApiError && error.code === 'render_failed',
    );
  });
});
