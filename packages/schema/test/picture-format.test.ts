import assert from 'node:assert/strict';
import fc from 'fast-check';
import { foreignFormat, pictureFormat } from '../src/values/picture-format.js';

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');

describe('pictureFormat', () => {
  it('recognizes PNG and JPEG, and nothing else', () => {
    assert.equal(pictureFormat(bytes('\x89PNG\r\n\x1a\n....')), 'png');
    assert.equal(pictureFormat(bytes('\xff\xd8\xff\xe0')), 'jpeg');
    assert.equal(pictureFormat(bytes('\xff\xd8\0\0\xff\xe0')), 'jpeg');
    for (const other of ['', '\x89PNG', '\xff\xd8', '\xff\xd8\0\0', 'GIF89a']) assert.equal(pictureFormat(bytes(other)), null);
  });
});

describe('foreignFormat', () => {
  it('names the formats that cameras, browsers and drawing programs write', () => {
    const files: Record<string, string[]> = {
      WebP: ['RIFF\x24\0\0\0WEBPVP8 '],
      GIF: ['GIF89a\x01\0', 'GIF87a\x01\0'],
      BMP: ['BM\x46\0\0\0\0\0\0\0\x36\0\0\0'],
      TIFF: ['II*\0\x08\0\0\0', 'MM\0*\0\0\0\x08'],
      'an icon file (ICO)': ['\0\0\x01\0\x01\0'],
      HEIC: ['\0\0\0\x18ftypheic\0\0\0\0mif1heic', '\0\0\0\x18ftypmif1\0\0\0\0mif1heic'],
      AVIF: ['\0\0\0\x20ftypavif\0\0\0\0avifmif1miafMA1B', '\0\0\0\x1cftypmif1\0\0\0\0mif1avifmiaf'],
      'a video': ['\0\0\0\x20ftypisom\0\0\x02\0isomiso2avc1mp41'],
      'JPEG XL': ['\xff\x0a\xfa', '\0\0\0\x0cJXL \r\n\x87\n'],
      'JPEG 2000': ['\0\0\0\x0cjP  \r\n\x87\n'],
      'a Photoshop file': ['8BPS\0\x01'],
      PDF: ['%PDF-1.7\n'],
      SVG: ['<svg xmlns="http://www.w3.org/2000/svg"/>', '\xef\xbb\xbf<?xml version="1.0"?>\n<!-- a --><svg>', ' <!DOCTYPE svg PUBLIC "x"><svg\n>'],
      HTML: ['<!DOCTYPE html><html>', '<html lang="en">', '\n<!doctype HTML>\n<title>404</title>'],
    };
    for (const [name, samples] of Object.entries(files)) {
      for (const sample of samples) assert.equal(foreignFormat(bytes(sample)), name, JSON.stringify(sample));
    }
  });

  it('names nothing in other bytes, however short', () => {
    for (const other of ['', 'B', 'hello', '{"error":"no"}', '<', '<note>', 'RIFF\x24\0\0\0WAVE', 'BMW is a car, not a picture']) {
      assert.equal(foreignFormat(bytes(other)), null, JSON.stringify(other));
    }
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (random) => {
        const named = foreignFormat(Buffer.from(random));
        assert.ok(named === null || named.length > 0);
      }),
    );
  });
});
