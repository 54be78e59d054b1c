import { deflateSync } from 'node:zlib';
import { pngOf } from '@perch/testkit';

const side = 16;

/** In base64: one colour, unique for each `n` below 2^24. */
export function pictureOf(n: number): string {
  const row = Buffer.concat([Buffer.of(0), ...Array.from({ length: side }, () => Buffer.of(n >> 16, n >> 8, n))]);
  const pixels = deflateSync(Buffer.concat(Array.from({ length: side }, () => row)));
  return pngOf(side, side, pixels).toString('base64');
}
