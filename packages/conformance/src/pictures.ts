/** Pictures of one bright quarter, in both formats of the link, without a drawing library. */
import { crc32, deflateSync } from 'node:zlib';

export type Quarter = 'upper left' | 'upper right' | 'lower left' | 'lower right';
export const quarters: readonly Quarter[] = ['upper left', 'upper right', 'lower left', 'lower right'];

interface Size {
  w: number;
  h: number;
}

const dark = 40;
const bright = 220;

export function quarterPicture(format: string, size: Size, quarter: Quarter): Buffer {
  return format === 'jpeg' ? jpeg(size, quarter) : png(size, quarter);
}

function isBright({ w, h }: Size, quarter: Quarter, x: number, y: number): boolean {
  return x < w / 2 === quarter.endsWith('left') && y < h / 2 === quarter.startsWith('upper');
}

/** PNG specification: colour type 2, 8 bits, no interlace, no filter. */
function png(size: Size, quarter: Quarter): Buffer {
  const rows = Buffer.alloc(size.h * (1 + size.w * 3));
  for (let y = 0, at = 0; y < size.h; y += 1) {
    at += 1;
    for (let x = 0; x < size.w; x += 1, at += 3) rows.fill(isBright(size, quarter, x, y) ? bright : dark, at, at + 3);
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(size.w, 0);
  head.writeUInt32BE(size.h, 4);
  head.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  framed.set(body, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}

/** The Huffman table of ITU T.81, K.3.1, for DC of luminance: number of codes of each length, and their symbols. */
const dcCodes = [0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0];
const dcSymbols = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];
/** One code, of one bit: the end of a block. */
const acCodes = [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
const acSymbols = [0];
const quantizer = 8;
const blockPx = 8;

/** Baseline JPEG (ITU T.81), YCbCr without subsampling: each block has one grey, so that it has no coefficient but the first. */
function jpeg(size: Size, quarter: Quarter): Buffer {
  const bits: string[] = [];
  const codes = huffman(dcCodes, dcSymbols);
  let last = 0;
  for (let y = 0; y < size.h; y += blockPx)
    for (let x = 0; x < size.w; x += blockPx) {
      // The first coefficient is 8 times the mean of a block, around 128.
      const level = Math.round((((isBright(size, quarter, x, y) ? bright : dark) - 128) * 8) / quantizer);
      bits.push(difference(codes, level - last), '0', difference(codes, 0), '0', difference(codes, 0), '0');
      last = level;
    }
  const three = [1, 2, 3];
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    segment(0xdb, [0, ...Array.from({ length: 64 }, () => quantizer)]),
    segment(0xc0, [8, size.h >> 8, size.h & 255, size.w >> 8, size.w & 255, 3, ...three.flatMap((id) => [id, 0x11, 0])]),
    segment(0xc4, [0x00, ...dcCodes, ...dcSymbols]),
    segment(0xc4, [0x10, ...acCodes, ...acSymbols]),
    segment(0xda, [3, ...three.flatMap((id) => [id, 0]), 0, 63, 0]),
    stuffed(bits.join('')),
    Buffer.from([0xff, 0xd9]),
  ]);
}

function segment(marker: number, bytes: readonly number[]): Buffer {
  const length = bytes.length + 2;
  return Buffer.from([0xff, marker, length >> 8, length & 255, ...bytes]);
}

function huffman(counts: readonly number[], symbols: readonly number[]): string[] {
  const codes: string[] = [];
  let code = 0;
  let next = 0;
  counts.forEach((count, index) => {
    for (let i = 0; i < count; i += 1, code += 1, next += 1) codes[symbols[next]!] = code.toString(2).padStart(index + 1, '0');
    code <<= 1;
  });
  return codes;
}

function difference(codes: readonly string[], value: number): string {
  if (value === 0) return codes[0]!;
  const size = Math.abs(value).toString(2).length;
  return codes[size]! + (value > 0 ? value : value + 2 ** size - 1).toString(2).padStart(size, '0');
}

/** A byte 255 is followed by 0. The last byte is filled with ones. */
function stuffed(bits: string): Buffer {
  const bytes: number[] = [];
  for (let at = 0; at < bits.length; at += 8) {
    const byte = parseInt(bits.slice(at, at + 8).padEnd(8, '1'), 2);
    bytes.push(byte);
    if (byte === 255) bytes.push(0);
  }
  return Buffer.from(bytes);
}
