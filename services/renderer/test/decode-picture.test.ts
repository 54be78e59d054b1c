import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { deflateSync, inflateSync } from 'node:zlib';
import fc from 'fast-check';
import { BadPicture } from '@perch/schema';
import { createCanvas, type Image } from 'canvas';
import { decodePicture } from '../src/fit-picture.js';
import { chunk, halves, madeJpegs, noise, png, pngMagic, rows, tinyJpeg, turnedJpeg } from './pictures.js';
import { isBlue, isRed, pixel } from './pixels.js';

async function refused(bytes: Buffer, why: RegExp): Promise<void> {
  await assert.rejects(decodePicture(bytes, 'the-hash'), (error) => {
    assert.ok(error instanceof BadPicture, String(error));
    assert.equal(error.code, 'bad_picture');
    assert.equal(error.upload, 'the-hash');
    assert.match(error.message, why);
    return true;
  });
}

const goodPng = noise(60, 40).toBuffer('image/png');
const goodJpeg = noise(60, 40).toBuffer('image/jpeg');

function pixels(image: Image): Uint8ClampedArray {
  const context = createCanvas(image.width, image.height).getContext('2d');
  context.drawImage(image, 0, 0);
  return context.getImageData(0, 0, image.width, image.height).data;
}

/** Returns the indexes at which the markers of a JPEG without restarts begin, after the first one. */
function segmentsOf(jpeg: Buffer): number[] {
  const starts: number[] = [];
  let at = 2;
  for (; jpeg[at + 1] !== 0xda; at += 2 + jpeg.readUInt16BE(at + 2)) starts.push(at);
  return [...starts, at, jpeg.length - 2];
}

async function processorMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

describe('decodePicture with a valid file', () => {
  it('decodes JPEG and PNG, with any bytes after their end', async () => {
    for (const bytes of [halves(40, 20).toBuffer('image/png'), halves(40, 20).toBuffer('image/jpeg')]) {
      for (const whole of [bytes, Buffer.concat([bytes, randomBytes(500)])]) {
        const image = await decodePicture(whole, 'x');
        assert.deepEqual([image.width, image.height], [40, 20]);
        assert.ok(isRed(pixel(image, 5, 10)) && isBlue(pixel(image, 35, 10)));
      }
    }
  });

  it('decodes PNG of every depth and colour type, interlaced or not', async () => {
    const shapes = [
      { depth: 1, color: 0, bits: 1 },
      { depth: 2, color: 0, bits: 2 },
      { depth: 4, color: 0, bits: 4 },
      { depth: 8, color: 0, bits: 8 },
      { depth: 16, color: 0, bits: 16 },
      { depth: 8, color: 2, bits: 24 },
      { depth: 16, color: 2, bits: 48 },
      { depth: 4, color: 3, bits: 4 },
      { depth: 8, color: 4, bits: 16 },
      { depth: 8, color: 6, bits: 32 },
      { depth: 16, color: 6, bits: 64 },
    ];
    const palette = chunk('PLTE', Buffer.alloc(48, 0x80));
    for (const { depth, color, bits } of shapes) {
      for (const [w, h] of [
        [13, 7],
        [1, 1],
        [8, 8],
        [3, 40],
      ] as const) {
        const plainRows = h * (1 + Math.ceil((w * bits) / 8));
        const plain = png({ w, h, depth, color, data: Buffer.alloc(plainRows), between: color === 3 ? [palette] : [] });
        assert.equal((await decodePicture(plain, 'x')).width, w, `${depth} bits, type ${color}, ${w} x ${h}`);
        const passes = [
          [0, 0, 8, 8],
          [4, 0, 8, 8],
          [0, 4, 4, 8],
          [2, 0, 4, 4],
          [0, 2, 2, 4],
          [1, 0, 2, 2],
          [0, 1, 1, 2],
        ] as const;
        const sizes = passes.map(([x, y, dx, dy]) => {
          const columns = Math.ceil(Math.max(0, w - x) / dx);
          return columns === 0 ? 0 : Math.ceil(Math.max(0, h - y) / dy) * (1 + Math.ceil((columns * bits) / 8));
        });
        const total = sizes.reduce((a, b) => a + b, 0);
        const interlaced = png({ w, h, depth, color, interlace: 1, data: Buffer.alloc(total), between: color === 3 ? [palette] : [] });
        assert.equal((await decodePicture(interlaced, 'x')).height, h, `interlaced, ${depth} bits, type ${color}, ${w} x ${h}`);
        await refused(png({ w, h, depth, color, interlace: 1, data: Buffer.alloc(total - 1), between: color === 3 ? [palette] : [] }), /last row/);
      }
    }
  });

  it('decodes the first picture of an animated PNG', async () => {
    const control = chunk('acTL', Buffer.from([0, 0, 0, 2, 0, 0, 0, 0]));
    const image = await decodePicture(png({ w: 4, h: 4, data: rows(4, 4, [255, 0, 0, 255]), between: [control] }), 'x');
    assert.ok(isRed(pixel(image, 2, 2)));
  });

  it('decodes grey, colour and CMYK JPEG', async () => {
    for (const components of [1, 3, 4]) {
      const image = await decodePicture(tinyJpeg(components), 'x');
      assert.deepEqual([image.width, image.height], [8, 8], `${components} components`);
      assert.equal(pixel(image, 4, 4)[3], 255);
    }
  });

  it('decodes a JPEG with other bytes, fill bytes and restart markers before its markers, as libjpeg does with a warning', async () => {
    // nothings/stb#421 and #422 count them in ImageNet; image-rs/jpeg-decoder#100 and lilohuang/PyTurboJPEG#77 have them from a scanner and a camera.
    const jpeg = halves(40, 20).toBuffer('image/jpeg');
    const expected = pixels(await decodePicture(jpeg, 'x'));
    const starts = segmentsOf(jpeg);
    assert.ok(starts.length >= 5, 'DQT, SOF, DHT, SOS, EOI');
    for (const junk of ['00', 'ffff', '0102030405', '00ff0000', 'ff00', 'ffd0ffd7', 'ff01', 'a5'.repeat(700)].map((hex) => Buffer.from(hex, 'hex'))) {
      for (const at of starts) {
        const image = await decodePicture(Buffer.concat([jpeg.subarray(0, at), junk, jpeg.subarray(at)]), 'x');
        assert.deepEqual(pixels(image), expected, `${junk.toString('hex').slice(0, 20)} at ${at}`);
      }
    }
  });

  it('decodes a JPEG without its end marker that has all pixels, rotated or not', async () => {
    for (const whole of [goodJpeg, halves(40, 20).toBuffer('image/jpeg'), turnedJpeg(1), turnedJpeg(6), turnedJpeg(3)]) {
      const expected = pixels(await decodePicture(whole, 'x'));
      for (const missing of [1, 2]) assert.deepEqual(pixels(await decodePicture(whole.subarray(0, whole.length - missing), 'x')), expected);
    }
  });

  it('decodes a JPEG whose scan says that it is a part of a progressive one, as Samsung cameras write it (lovell/sharp#1578)', async () => {
    const jpeg = halves(40, 20).toBuffer('image/jpeg');
    const expected = pixels(await decodePicture(jpeg, 'x'));
    const scan = jpeg.indexOf(Buffer.from([0xff, 0xda])) + 2;
    const parameters = scan + jpeg.readUInt16BE(scan) - 3;
    assert.deepEqual([...jpeg.subarray(parameters, parameters + 3)], [0, 63, 0]);
    for (const [first, last, bits] of [
      [0, 0, 0],
      [0, 63, 0x10],
    ] as const) {
      const changed = Buffer.from(jpeg);
      changed.set([first, last, bits], parameters);
      assert.deepEqual(pixels(await decodePicture(changed, 'x')), expected);
    }
  });

  it('decodes a picture of 4096 px a side', async () => {
    const image = await decodePicture(png({ w: 4096, h: 4096, depth: 8, color: 0, data: Buffer.alloc(4097 * 4096) }), 'x');
    assert.equal(image.width, 4096);
  });

  it('rotates a JPEG by its EXIF orientation', async () => {
    const upright = await decodePicture(turnedJpeg(1), 'x');
    assert.deepEqual([upright.width, upright.height], [40, 20]);
    const turned = await decodePicture(turnedJpeg(6), 'x');
    assert.deepEqual([turned.width, turned.height], [20, 40]);
    assert.ok(isRed(pixel(turned, 10, 5)) && isBlue(pixel(turned, 10, 35)));
    const other = await decodePicture(turnedJpeg(8), 'x');
    assert.ok(isBlue(pixel(other, 10, 5)) && isRed(pixel(other, 10, 35)));
  });
});

describe('decodePicture with an invalid file', () => {
  it('rejects files that are neither JPEG nor PNG', async () => {
    for (const bytes of [
      Buffer.alloc(0),
      Buffer.from('GIF89a'),
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
      Buffer.from('hello'),
      Buffer.from([0xff, 0xd8]),
    ]) {
      await refused(bytes, /neither a JPEG nor a PNG/);
    }
    await refused(noise(8, 8).toBuffer('image/webp'), /^The picture is WebP, neither a JPEG nor a PNG/);
  });

  it('rejects a PNG or JPEG that is cut off anywhere', async () => {
    for (const good of [goodPng, goodJpeg]) {
      for (let end = 8; end < good.length; end += 1 + Math.floor(good.length / 150)) await refused(good.subarray(0, end), /^The picture/);
    }
    for (let missing = 1; missing < 12; missing++) await refused(goodPng.subarray(0, goodPng.length - missing), /ends/);
    // The end marker is two bytes.
    for (let missing = 3; missing < 60; missing++) await refused(goodJpeg.subarray(0, goodJpeg.length - missing), /ends/);
    await refused(goodPng.subarray(0, goodPng.length - 12), /ends/);
  });

  it('rejects a photograph whose transfer broke off after most of it, which libjpeg draws with a grey rest, and asks for the whole file', async () => {
    const photograph = noise(320, 240).toBuffer('image/jpeg');
    for (const share of [0.25, 0.75, 0.99]) {
      const problem = await decodePicture(photograph.subarray(0, Math.floor(share * photograph.length)), 'image').then(
        () => assert.fail('drawn'),
        (error: Error) => error.message,
      );
      assert.match(problem, /ends in the middle of the file.*Send a whole JPEG or PNG/, String(share));
    }
  });

  it('rejects a cut-off JPEG that has a whole thumbnail inside', async () => {
    const thumbnail = tinyJpeg(3);
    const size = thumbnail.length + 2;
    const segment = Buffer.concat([Buffer.from([0xff, 0xe1, size >> 8, size & 0xff]), thumbnail]);
    const whole = Buffer.concat([goodJpeg.subarray(0, 2), segment, goodJpeg.subarray(2)]);
    assert.equal((await decodePicture(whole, 'x')).width, 60);
    await refused(whole.subarray(0, whole.length - 400), /ends/);
  });

  it('rejects a JPEG without its end marker that ends grey, as missing pixels are drawn, or that has several scans', async () => {
    const grey = tinyJpeg(3);
    assert.equal((await decodePicture(grey, 'x')).width, 8);
    await refused(grey.subarray(0, grey.length - 2), /ends/);
    const progressive = Buffer.from(madeJpegs.progressive, 'base64');
    assert.equal((await decodePicture(progressive, 'x')).width, 16);
    await refused(progressive.subarray(0, progressive.length - 2), /ends/);
  });

  it('rejects JPEGs of kinds that are not decoded, by their name', async () => {
    await refused(
      tinyJpeg(3, { precision: 12 }),
      /^The picture is a JPEG of a kind that is not decoded \(12 bits a sample\)\. Send a baseline or progressive JPEG/,
    );
    for (const arithmetic of [madeJpegs.arithmetic, madeJpegs.arithmeticProgressive])
      await refused(Buffer.from(arithmetic, 'base64'), /a kind that is not decoded \(arithmetic coding\)/);
    const kinds = {
      lossless: [0xc3, 0xcb],
      hierarchical: [0xc5, 0xc6, 0xc7, 0xcd, 0xce, 0xcf],
      'arithmetic coding': [0xc9, 0xca],
      'JPEG-LS': [0xf7],
    };
    for (const [kind, frames] of Object.entries(kinds))
      for (const frame of frames) await refused(tinyJpeg(1, { frame }), new RegExp(`a kind that is not decoded \\(${kind}\\)`));
    for (const precision of [2, 16]) await refused(tinyJpeg(1, { precision }), new RegExp(`${precision} bits a sample`));
  });

  it('rejects a damaged PNG', async () => {
    for (let at = 30; at < goodPng.length - 12; at += 97) {
      const damaged = Buffer.from(goodPng);
      damaged[at] = (damaged[at] ?? 0) ^ 0x55;
      await refused(damaged, /^The picture/);
    }
  });

  it('rejects fewer or more pixels than the header says', async () => {
    await refused(png({ w: 100, h: 100, data: rows(50, 100, [1, 2, 3, 4]) }), /last row/);
    await refused(png({ w: 100, h: 100, data: Buffer.alloc(0) }), /last row/);
    await refused(png({ w: 10, h: 10, data: rows(50, 100, [1, 2, 3, 4]) }), /more than its size/);
  });

  it('rejects a few bytes that unpack to hundreds of megabytes, without unpacking most of them', async () => {
    const data = Buffer.alloc(300_000_000);
    const bomb = png({ w: 4000, h: 10, data });
    assert.ok(bomb.length < 400_000);
    const packed = deflateSync(data);
    const wholeMs = await processorMs(() => inflateSync(packed));
    const tookMs = await processorMs(() => refused(bomb, /more than its size/));
    assert.ok(tookMs < wholeMs / 2, `${tookMs} ms, unpacking all takes ${wholeMs} ms`);
  });

  it('rejects more than 4096 px on a side, before decoding', async () => {
    for (const [w, h] of [
      [4097, 1],
      [1, 4097],
      [65_535, 65_535],
      [0x7fffffff, 0x7fffffff],
      [0xffffffff, 1],
    ] as const) {
      await refused(png({ w, h, data: Buffer.alloc(10) }), /4096|readable|sense/);
    }
    await refused(tinyJpeg(3, { w: 65_000, h: 65_000 }), /65000 x 65000 px; at most 4096/);
  });

  it('rejects a picture without pixels', async () => {
    for (const [w, h] of [
      [0, 0],
      [0, 5],
      [5, 0],
    ] as const) {
      await refused(png({ w, h, data: Buffer.alloc(0) }), /^The picture/);
      await refused(tinyJpeg(3, { w, h }), /^The picture/);
    }
  });

  it('rejects invalid headers', async () => {
    await refused(png({ w: 4, h: 4, depth: 3, color: 0, data: Buffer.alloc(100) }), /sense/);
    await refused(png({ w: 4, h: 4, depth: 8, color: 5, data: Buffer.alloc(100) }), /sense/);
    await refused(Buffer.concat([pngMagic, chunk('IEND', Buffer.alloc(0))]), /^The picture/);
    await refused(Buffer.from([0xff, 0xd8, 0xff, 0xd9]), /^The picture/);
  });

  it('rejects random bytes after either signature', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(pngMagic, Buffer.from([0xff, 0xd8, 0xff]), goodPng.subarray(0, 33), goodJpeg.subarray(0, 160)),
        fc.uint8Array({ maxLength: 3000 }),
        async (magic, noiseBytes) => {
          await refused(Buffer.concat([magic, noiseBytes]), /^The picture/);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('rejects or decodes a picture with bytes changed anywhere, and never fails otherwise', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(goodPng, goodJpeg, tinyJpeg(4), turnedJpeg(6)),
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 8 }),
        async (good, changes) => {
          const changed = Buffer.from(good);
          for (const [at, value] of changes) changed[at % changed.length] = value;
          const outcome = await decodePicture(changed, 'x').then(
            (image) => image.width > 0 && image.height > 0,
            (error: unknown) => error instanceof BadPicture,
          );
          assert.ok(outcome);
        },
      ),
      { numRuns: 500 },
    );
  });
});
