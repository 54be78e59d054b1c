/** Recognizes files by their first bytes, so that an error can name what was sent instead of a picture. */

export type PictureFormat = 'jpeg' | 'png';

export function pictureFormat(bytes: Buffer): PictureFormat | null {
  if (startsWith(bytes, '\x89PNG\r\n\x1a\n')) return 'png';
  // libjpeg accepts other bytes before the second marker.
  return startsWith(bytes, '\xff\xd8') && bytes.subarray(2, 1024).includes(0xff) ? 'jpeg' : null;
}

/** Returns the name of a format that is not drawn; null if the bytes are none of the known ones. */
export function foreignFormat(bytes: Buffer): string | null {
  const known = signatures.find(([, ...beginnings]) => beginnings.some((beginning) => startsWith(bytes, beginning)));
  return known?.[0] ?? spacedFormat(bytes) ?? mediaFormat(bytes) ?? textFormat(bytes);
}

/** Names, and the beginnings of such files as latin1. */
const signatures: readonly (readonly [string, ...string[]])[] = [
  ['GIF', 'GIF87a', 'GIF89a'],
  ['TIFF', 'II*\0', 'MM\0*', 'II+\0', 'MM\0+'],
  ['an icon file (ICO)', '\0\0\x01\0'],
  ['JPEG XL', '\xff\x0a', '\0\0\0\x0cJXL \r\n\x87\n'],
  ['JPEG 2000', '\0\0\0\x0cjP  \r\n\x87\n', '\xff\x4f\xff\x51'],
  ['a Photoshop file', '8BPS'],
  ['PDF', '%PDF-'],
];

/** Formats with the size of the file within their signature. */
function spacedFormat(bytes: Buffer): string | null {
  if (startsWith(bytes, 'RIFF') && startsWith(bytes, 'WEBP', 8)) return 'WebP';
  // Four reserved bytes follow the size: `BM` alone may begin a text.
  return startsWith(bytes, 'BM') && startsWith(bytes, '\0\0\0\0', 6) ? 'BMP' : null;
}

/** ISO base media files name their kind in the brands of the first box. An AVIF may have the brand of HEIF first. */
function mediaFormat(bytes: Buffer): string | null {
  if (!startsWith(bytes, 'ftyp', 4)) return null;
  const box = bytes.toString('latin1', 8, Math.min(bytes.readUInt32BE(0), 128));
  if (/avi[fs]/.test(box)) return 'AVIF';
  return /hei[cxms]|hev[cx]|mif1|msf1/.test(box) ? 'HEIC' : 'a video';
}

function textFormat(bytes: Buffer): string | null {
  const begin = bytes
    .toString('utf8', 0, 1024)
    .replace(/^\uFEFF?\s*/, '')
    .toLowerCase();
  if (!begin.startsWith('<')) return null;
  if (/<svg[\s>]/.test(begin)) return 'SVG';
  return /^<!doctype html|<html[\s>]/.test(begin) ? 'HTML' : null;
}

function startsWith(bytes: Buffer, text: string, at = 0): boolean {
  return bytes.toString('latin1', at, at + text.length) === text;
}

/** Returns width x height as the header of a JPEG or PNG states them; 0 if it cannot be read: the renderer does not decode such a picture either. */
export function picturePixels(bytes: Buffer): number {
  const size = pictureSize(bytes);
  return size === null ? 0 : size.w * size.h;
}

/** Linear in the bytes, with one allocation: image-size took 100 ms of the event loop for a JPEG of a million tiny segments. */
export function pictureSize(bytes: Buffer): { w: number; h: number } | null {
  if (bytes[0] === 0x89) return bytes.length < 24 ? null : { w: bytes.readUInt32BE(16), h: bytes.readUInt32BE(20) };
  return jpegSize(bytes);
}

function jpegSize(bytes: Buffer): { w: number; h: number } | null {
  let at = bytes.indexOf(0xff, 2);
  while (at !== -1 && at + 9 <= bytes.length) {
    const type = bytes[at + 1]!;
    if (isFrame(type)) return { w: bytes.readUInt16BE(at + 7), h: bytes.readUInt16BE(at + 5) };
    // Fill bytes, and markers without a segment, as other bytes may precede a marker.
    const isAlone = type === 0xff || type <= 0x01 || (type >= 0xd0 && type <= 0xd7);
    at = bytes.indexOf(0xff, isAlone ? at + 1 : at + 2 + Math.max(2, bytes.readUInt16BE(at + 2)));
  }
  return null;
}

/** SOF0 to SOF15 without DHT, JPG and DAC, whose codes lie between them, and that of JPEG-LS. */
function isFrame(type: number): boolean {
  return (type >= 0xc0 && type <= 0xcf && type !== 0xc4 && type !== 0xc8 && type !== 0xcc) || type === 0xf7;
}
