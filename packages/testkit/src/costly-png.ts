/** The PNG that costs a renderer most for its size: 147 KB, 4096x4096 pixels of 16 bits a channel, interlaced. */
import { crc32, deflateSync } from 'node:zlib';

const side = 4096;
const bytesPerPixel = 8;
const fileBytes = 147_000;
/** The seven passes of an interlaced picture: first column, first row, step of columns and of rows. */
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

/** Returns the picture in base64. @param mark makes it another file, which is drawn anew */
export function costlyPng(mark: string): string {
  pixels ??= deflateSync(Buffer.alloc(passes.reduce((sum, [x, y, dx, dy]) => sum + Math.ceil((side - y) / dy) * rowBytes(x, dx), 0)));
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.set([16, 6, 0, 0, 1], 8);
  const text = Buffer.concat([Buffer.from(`Comment\0${mark} `), Buffer.alloc(fileBytes - pixels.length - 100, 'x')]);
  const chunks = [chunk('IHDR', header), chunk('tEXt', text), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), ...chunks]).toString('base64');
}

/** A row of a pass: its filter byte and its pixels. */
function rowBytes(x: number, dx: number): number {
  return 1 + Math.ceil((side - x) / dx) * bytesPerPixel;
}

function chunk(type: string, body: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), body]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(body.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}
