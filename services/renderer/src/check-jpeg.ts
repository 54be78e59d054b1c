/** Walks a JPEG's segments and scans to the end marker, past those of thumbnails: Skia silently fills missing parts with grey. */
import { PictureProblem } from './picture-problem.js';

const mark = { soi: 0xd8, eoi: 0xd9, sos: 0xda, app1: 0xe1, app15: 0xef, jpegLs: 0xf7 } as const;

export interface JpegEnd {
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
