import assert from 'node:assert/strict';
import { picturePixels } from '../src/values/picture-format.js';

const png = (w: number, h: number): Buffer => {
  const bytes = Buffer.from('89504e470d0a1a0a0000000d49484452000000000000000008020000', 'hex');
  bytes.writeUInt32BE(w, 16);
  bytes.writeUInt32BE(h, 20);
  return bytes;
};
const segment = (type: number, body: number[]): Buffer => Buffer.from([0xff, type, (body.length + 2) >> 8, (body.length + 2) & 0xff, ...body]);
const jpeg = (...segments: Buffer[]): Buffer => Buffer.concat([Buffer.from([0xff, 0xd8]), ...segments]);
const frame = (type: number): Buffer => segment(type, [8, 0x01, 0x00, 0x02, 0x00, 3, 1, 0x11, 0]);

describe('picturePixels', () => {
  it('returns the pixels stated in the header of a PNG', () => {
    assert.equal(picturePixels(png(4096, 4096)), 4096 ** 2);
  });

  it('returns the pixels stated in the frame header of a baseline or progressive JPEG, after other segments and fill bytes', () => {
    for (const type of [0xc0, 0xc2]) {
      assert.equal(
        picturePixels(
          jpeg(
            segment(
              0xe1,
              Array.from({ length: 500 }, () => 0xff),
            ),
            segment(0xc4, [0]),
            Buffer.of(0xff),
            frame(type),
          ),
        ),
        256 * 512,
      );
    }
  });

  it('returns the pixels of a JPEG with other bytes and restart markers before its markers', () => {
    for (const junk of ['00', '010203', 'ff00', 'ffd3', 'ffff', 'a5'.repeat(999)])
      assert.equal(
        picturePixels(jpeg(Buffer.from(junk, 'hex'), segment(0xe0, [1, 2]), Buffer.from(junk, 'hex'), frame(0xc0))),
        256 * 512,
        junk.slice(0, 8),
      );
  });

  it('returns 0 for a header that is cut off or damaged', () => {
    for (const bytes of [png(1, 1).subarray(0, 20), jpeg(), jpeg(Buffer.of(0, 1, 2, 3, 4, 5, 6, 7, 8)), jpeg(frame(0xc0)).subarray(0, 9)])
      assert.equal(picturePixels(bytes), 0);
  });

  it('terminates for a JPEG of only empty segments', () => {
    const bytes = jpeg(Buffer.alloc(1_000_000, Buffer.from([0xff, 0xe0, 0x00, 0x00])));
    assert.equal(picturePixels(bytes), 0);
  });
});
