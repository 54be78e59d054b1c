/** PNG with the highest rendering cost for its size: 147 KB, 4096x4096 pixels, 16 bits per channel, interlaced. */
import { deflateSync } from 'node:zlib';
import { pngChunk, pngOf } from './png.js';

const side = 4096;
const bytesPerPixel = 8;
const fileBytes = 147_000;
/** First column, first row, column step, row step of the seven passes. */
const passes = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

let pixels: Buffer | null = null;

/** In base64. @param mark makes the file unique, so that it is not served from a cache */
export function costlyPng(mark: string): string {
  pixels ??= deflateSync(Buffer.alloc(passes.reduce((sum, [x, y, dx, dy]) => sum + Math.ceil((side - y) / dy) * rowBytes(x, dx), 0)));
  const comment = Buffer.concat([Buffer.from(`Comment\0${mark} `), Buffer.alloc(fileBytes - pixels.length - 100, 'x')]);
  return pngOf(side, side, pixels, { depth: 16, color: 6, interlace: 1, before: [pngChunk('tEXt', comment)] }).toString('base64');
}

function rowBytes(x: number, dx: number): number {
  return 1 + Math.ceil((side - x) / dx) * bytesPerPixel;
}
