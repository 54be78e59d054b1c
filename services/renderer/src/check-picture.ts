/** Finds what is damaged in a JPEG or PNG before Skia draws it: that silently fills missing parts with grey, and unpacks any amount of data. */
import { crc32, createInflate } from 'node:zlib';

/** Defect found in a picture's bytes. The message continues a sentence that begins "The picture", the remedy is a sentence. */
export class PictureProblem extends Error {
  readonly remedy: string;

  constructor(message: string, remedy = 'Send a whole JPEG or PNG.') {
    super(message);
    this.remedy = remedy;
  }
}

// A JPEG: walks its segments and scans to the end marker, past those of thumbnails.

const mark = { soi: 0xd8, eoi: 0xd9, sos: 0xda, app1: 0xe1, app15: 0xef, jpegLs: 0xf7 } as const;

interface JpegEnd {
  /** False: the end marker is missing, and perhaps pixels are, too. */
  isMarked: boolean;
  /** Its pixels are in one scan from the first row to the last. */
  isSequential: boolean;
}

/**
 * Accepts what libjpeg reads with a warning: other bytes and fill bytes before a marker, restart markers between segments.
 * @throws {PictureProblem} if the file ends early, has no picture or several, or one of a kind that is not decoded
 */
export function checkJpeg(bytes: Buffer): JpegEnd {
  let at = 2;
  let frame = 0;
  let scans = 0;
  let isMarked = false;
  for (;;) {
    const found = nextMark(bytes, at);
    if (found === null) break;
    at = found;
    const type = bytes[at - 1]!;
    isMarked = type === mark.eoi;
    if (isMarked) break;
    if (type === mark.soi) throw new PictureProblem('is damaged (begins twice)');
    if (at + 2 > bytes.length) throw cutOff();
    const length = bytes.readUInt16BE(at);
    if (length < 2) throw new PictureProblem('is damaged (segment without length)');
    if (at + length > bytes.length) throw cutOff();
    if (isFrame(type)) {
      if (frame !== 0) throw new PictureProblem('is damaged (no picture in the file)');
      requireDecoded(type, bytes[at + 2]);
      frame = type;
    }
    if (type === mark.sos) scans++;
    at += length;
  }
  if (!isMarked && scans === 0) throw cutOff();
  if (frame === 0 || scans === 0) throw new PictureProblem('is damaged (no picture in the file)');
  return { isMarked, isSequential: frame !== 0xc2 && scans === 1 };
}

/** Returns the file without bytes between its first two markers, with which Skia knows no JPEG. */
export function fromFirstMarker(bytes: Buffer): Buffer {
  const first = bytes.indexOf(0xff, 2);
  return first <= 2 ? bytes : Buffer.concat([bytes.subarray(0, 2), bytes.subarray(first)]);
}

/** Adds the end marker. @param data before it */
export function withEnd(bytes: Buffer, data = Buffer.alloc(0)): Buffer {
  let length = bytes.length;
  while (bytes[length - 1] === 0xff) length--;
  return Buffer.concat([bytes.subarray(0, length), data, Buffer.from([0xff, mark.eoi])]);
}

/** Returns a copy whose EXIF data is not read. */
export function withoutRotation(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  let at: number | null = 2;
  while ((at = nextMark(copy, at)) !== null && copy[at - 1] !== mark.sos) {
    if (copy[at - 1] === mark.app1) copy[at - 1] = mark.app15;
    at += copy.readUInt16BE(at);
  }
  return copy;
}

/** Returns the index after the next marker; null: there is none. It is preceded by any bytes: in a scan its data with stuffed zeros and restart markers. */
function nextMark(bytes: Buffer, from: number): number | null {
  let at = from;
  for (;;) {
    const found = bytes.indexOf(0xff, at);
    if (found === -1) return null;
    at = found + 1;
    while (bytes[at] === 0xff) at++;
    const type = bytes[at];
    if (type === undefined) return null;
    at++;
    if (!isAlone(type)) return at;
  }
}

/** A zero is stuffed; TEM and restart markers have no segment. */
function isAlone(type: number): boolean {
  return type <= 0x01 || (type >= 0xd0 && type <= 0xd7);
}

function isFrame(type: number): boolean {
  return (type >= 0xc0 && type <= 0xcf && type !== 0xc4 && type !== 0xc8 && type !== 0xcc) || type === mark.jpegLs;
}

/** By ITU-T T.81, table B.1. Skia draws 12 bits a sample and most lossless ones black; few decoders read arithmetic coding. */
function requireDecoded(frame: number, bits: number | undefined): void {
  const kind = kindOf(frame) ?? (bits === 8 ? null : `${bits ?? 0} bits a sample`);
  if (kind === null) return;
  throw new PictureProblem(
    `is a JPEG of a kind that is not decoded (${kind})`,
    'Send a baseline or progressive JPEG with 8 bits a sample, or a PNG.',
  );
}

function kindOf(frame: number): string | null {
  if (frame === mark.jpegLs) return 'JPEG-LS';
  if (frame === 0xc3 || frame === 0xcb) return 'lossless';
  if (frame > 0xc8 && frame < 0xcb) return 'arithmetic coding';
  return frame > 0xc3 ? 'hierarchical' : null;
}

function cutOff(): PictureProblem {
  return new PictureProblem('ends in the middle of the file');
}

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
