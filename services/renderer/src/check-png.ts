/** Verifies a PNG's chunks, checksums and number of pixel bytes first: Skia silently draws a damaged file, and unpacks any amount of data. */
import { crc32, createInflate } from 'node:zlib';
import { PictureProblem } from './picture-problem.js';

const signatureBytes = 8;
const samples: Record<number, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
const depths: Record<number, number[]> = { 0: [1, 2, 4, 8, 16], 2: [8, 16], 3: [1, 2, 4, 8], 4: [8, 16], 6: [8, 16] };
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

/** @throws {PictureProblem} if a chunk is missing, damaged or cut off, or the pixel data is shorter or longer than the header says */
export async function checkPng(bytes: Buffer): Promise<void> {
  let at = signatureBytes;
  let header: Buffer | null = null;
  let ended = false;
  const data: Buffer[] = [];
  while (!ended) {
    if (at + 12 > bytes.length) throw new PictureProblem('ends in the middle of the file');
    const length = bytes.readUInt32BE(at);
    const end = at + 12 + length;
    if (end > bytes.length) throw new PictureProblem('ends in the middle of the file');
    const type = bytes.toString('latin1', at + 4, at + 8);
    const body = bytes.subarray(at + 8, end - 4);
    // A lower-case first letter marks an ancillary chunk.
    const critical = (bytes[at + 4] ?? 0) < 0x60;
    if (critical && crc32(bytes.subarray(at + 4, end - 4)) !== bytes.readUInt32BE(end - 4))
      throw new PictureProblem(`is damaged (${printable(type)})`);
    if (header === null && (type !== 'IHDR' || length !== 13)) throw new PictureProblem('has no header');
    if (type === 'IHDR') header = body;
    else if (type === 'IDAT') data.push(body);
    else if (type === 'IEND') ended = true;
    at = end;
  }
  await countPixels(data, bytesOfPixels(header ?? Buffer.alloc(13)));
}

/** Returns the length of the unpacked pixel data, including the filter byte of each row. */
function bytesOfPixels(header: Buffer): number {
  const [w, h] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const [depth, color, compression, filter, interlace] = [...header.subarray(8)] as [number, number, number, number, number];
  if (depths[color]?.includes(depth) !== true || compression !== 0 || filter !== 0 || interlace > 1 || w === 0 || h === 0) {
    throw new PictureProblem('has a header that makes no sense');
  }
  const bitsPerPixel = depth * (samples[color] ?? 1);
  const rows = (columns: number, count: number): number => (columns === 0 ? 0 : count * (1 + Math.ceil((columns * bitsPerPixel) / 8)));
  if (interlace === 0) return rows(w, h);
  return passes.reduce((sum, [x, y, dx, dy]) => sum + rows(Math.ceil(Math.max(0, w - x) / dx), Math.ceil(Math.max(0, h - y) / dy)), 0);
}

/** Unpacks without keeping the data; stops as soon as there is more than expected. */
function countPixels(data: Buffer[], expected: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let count = 0;
    const inflate = createInflate({ chunkSize: 65_536 });
    const end = (problem: PictureProblem | null): void => {
      inflate.destroy();
      if (problem) reject(problem);
      else resolve();
    };
    inflate.on('data', (chunk: Buffer) => {
      count += chunk.length;
      if (count > expected) end(new PictureProblem('unpacks to more than its size'));
    });
    inflate.on('error', (error) => end(count >= expected ? null : new PictureProblem(`is damaged (${error.message})`)));
    inflate.on('end', () => end(count < expected ? new PictureProblem('ends before its last row') : null));
    for (const part of data) inflate.write(part);
    inflate.end();
  });
}

function printable(type: string): string {
  return /^[A-Za-z]{4}$/.test(type) ? type : 'unknown chunk';
}
