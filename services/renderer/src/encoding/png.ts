/**
 * Encodes pictures as PNG (RFC 2083 / ISO 15948) over zlib. Most of a picture's CPU was Skia's encoder, which tries all five filters on each row; for
 * text and plain drawings no filter is both fastest and smallest, since equal pixels repeat exactly (docs/decisions/media.md has the figures).
 */
import { crc32, deflateSync } from 'node:zlib';
import type { IndexedPixels } from './palette.js';

/** Higher levels take twice the time for a tenth of the bytes; lower ones save no time. */
const level = 3;
const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** Colour types of IHDR. */
const colorTypes = { rgb: 2, indexed: 3, rgba: 6 } as const;

/** @param rgba pixels, four bytes each, not premultiplied @returns a lossless PNG, without an alpha channel if every pixel is opaque */
export function encodePng(rgba: Uint8ClampedArray, w: number, h: number, isOpaque: boolean): Buffer {
  return png(w, h, isOpaque ? colorTypes.rgb : colorTypes.rgba, [], isOpaque ? rowsOfRgb(rgba, w, h) : rowsOf(rgba, 4 * w, h));
}

/** @returns a PNG with a palette, one byte a pixel */
export function encodeIndexedPng({ indexes, palette }: IndexedPixels, w: number, h: number): Buffer {
  return png(w, h, colorTypes.indexed, [chunk('PLTE', palette)], rowsOf(indexes, w, h));
}

/** @param rows each with its filter byte */
function png(w: number, h: number, colorType: number, between: readonly Buffer[], rows: Uint8Array): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(w, 0);
  header.writeUInt32BE(h, 4);
  // Eight bits a channel or index; compression, filter method and interlacing 0.
  header.set([8, colorType, 0, 0, 0], 8);
  return Buffer.concat([signature, chunk('IHDR', header), ...between, chunk('IDAT', deflateSync(rows, { level })), chunk('IEND', new Uint8Array())]);
}

function chunk(type: string, data: Uint8Array): Buffer {
  const bytes = Buffer.alloc(12 + data.length);
  bytes.writeUInt32BE(data.length, 0);
  bytes.write(type, 4, 'latin1');
  bytes.set(data, 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + data.length)), 8 + data.length);
  return bytes;
}

/** Rows of the picture that is being encoded: memory that is allocated for each picture is most of what the garbage collector has to do here. */
let scratch = new Uint8Array(0);

/** Returns bytes that are overwritten by the next picture. */
function rowBytes(length: number): Uint8Array {
  if (scratch.length < length) scratch = new Uint8Array(length);
  return scratch.subarray(0, length);
}

/** Puts the filter byte 0 (none) before each row. */
function rowsOf(pixels: Uint8Array | Uint8ClampedArray, bytesPerRow: number, h: number): Uint8Array {
  const rows = rowBytes(h * (1 + bytesPerRow));
  for (let y = 0; y < h; y++) {
    const at = y * (1 + bytesPerRow);
    rows[at] = 0;
    rows.set(pixels.subarray(y * bytesPerRow, (y + 1) * bytesPerRow), at + 1);
  }
  return rows;
}

function rowsOfRgb(rgba: Uint8ClampedArray, w: number, h: number): Uint8Array {
  const rows = rowBytes(h * (1 + 3 * w));
  const bytes = Buffer.from(rgba.buffer, rgba.byteOffset, rgba.length);
  const row = 4 * w;
  let to = 0;
  for (let from = 0; from < bytes.length;) {
    // Half the rows of a question equal the one above.
    if (from > 0 && bytes.compare(bytes, from - row, from, from, from + row) === 0) {
      rows.copyWithin(to, to - 1 - 3 * w, to);
      from += row;
      to += 1 + 3 * w;
      continue;
    }
    rows[to++] = 0;
    for (const end = from + row; from < end; from += 4, to += 3) {
      rows[to] = rgba[from]!;
      rows[to + 1] = rgba[from + 1]!;
      rows[to + 2] = rgba[from + 2]!;
    }
  }
  return rows;
}
