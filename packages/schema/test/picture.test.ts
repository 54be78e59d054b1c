import assert from 'node:assert/strict';
import fc from 'fast-check';
import { decodePicture } from '../src/index.js';
import { refusal } from './refusal.js';

const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const jpeg = Buffer.from([0xff, 0xd8, 0xff]);

describe('decodePicture', () => {
  it('returns the bytes for any padding, prefix, line breaks and alphabet', () => {
    fc.assert(
      fc.property(fc.constantFrom(png, jpeg), fc.uint8Array({ maxLength: 200 }), fc.nat(6), (magic, rest, form) => {
        const bytes = Buffer.concat([magic, rest]);
        const base64 = bytes.toString('base64');
        const texts = [
          base64,
          base64.replace(/=+$/, ''),
          bytes.toString('base64url'),
          `data:image/png;base64,${base64}`,
          `DATA:image/jpeg;charset=x;base64, ${base64}`,
          base64.replace(/(.{7})/g, '$1\r\n'),
          ` \n${base64}\t`,
        ];
        assert.deepEqual(decodePicture('image', texts[form]!), bytes);
      }),
    );
  });

  const refused: [string, string, RegExp][] = [
    ['nothing', '', /not base64/],
    ['white space', ' \n', /not base64/],
    ['a prefix alone', 'data:image/png;base64,', /not base64/],
    ['other characters', 'iVBORw0KGgo*', /not base64/],
    ['a broken length', 'iVBOR', /not base64/],
    ['padding within', 'iVBO=Rw0KGgo', /not base64/],
    ['a GIF', Buffer.from('GIF89a______').toString('base64'), /this is GIF/],
    ['a text', Buffer.from('hello').toString('base64'), /neither/],
    ['a data: address without base64', 'data:image/svg+xml,<svg/>', /not base64/],
  ];
  for (const [what, text, words] of refused) {
    it(`rejects ${what} as bad_picture, naming the field`, () => {
      const error = refusal(() => decodePicture('items[1].image', text));
      assert.equal(error.code, 'bad_picture');
      assert.equal(error.field, 'items[1].image');
      assert.match(error.message, words);
    });
  }

  it('accepts 1,600,000 characters, and not one more', () => {
    const longest = png.toString('base64').replace('=', '').padEnd(1_600_000, 'A');
    assert.equal(decodePicture('image', longest).length, 1_200_000);
    assert.match(refusal(() => decodePicture('image', `${longest}A`)).message, /at most 1600000 characters of base64, not 1600001/);
  });
});
