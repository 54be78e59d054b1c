/** Uploaded pictures: JPEG or PNG in base64, optionally with a `data:` prefix and line breaks. */
import { Type } from 'typebox';
import { ApiError } from '../api/error.js';
import { limits } from '../api/limits.js';
import type { Problem } from '../validation/problem.js';

/** @param use purpose of the picture; precedes the format in the description */
export function pictureSchema(use: string) {
  return Type.String({ contentEncoding: 'base64', description: `${use} ${howToWrite}` });
}

const howToWrite = `JPEG or PNG in base64, at most ${limits.pictureBase64Max.toLocaleString('en')} characters and ${limits.pictureSideMax} pixels a side. A data: prefix and white space are ignored.`;

/** Returns a problem if the picture is too long. Copies nothing for a picture that is not. */
export function pictureProblem(field: string, text: string): Problem | null {
  if (text.length <= limits.pictureBase64Max) return null;
  const length = bare(text).length;
  return length <= limits.pictureBase64Max ? null : tooLong(field, length);
}

/**
 * Returns the bytes of a picture. Only the signature of JPEG or PNG is checked: the renderer decodes it.
 * @throws {ApiError} bad_picture if it is not base64, too long, or neither JPEG nor PNG
 */
export function decodePicture(field: string, text: string): Buffer {
  const base64 = bare(text);
  if (base64.length > limits.pictureBase64Max) fail(tooLong(field, base64.length));
  if (!isBase64(base64)) fail({ field, message: 'must be a picture in base64; this is not base64' });
  const bytes = Buffer.from(base64, 'base64');
  if (!isJpeg(bytes) && !isPng(bytes)) fail({ field, message: 'must be a JPEG or PNG; these bytes are neither' });
  return bytes;
}

/** Removes the `data:` prefix and white space. Copies nothing if there are none, as in most pictures. */
function bare(text: string): string {
  const solid = /\s/.test(text) ? text.replace(/\s+/g, '') : text;
  if (!/^data:/i.test(solid)) return solid;
  const comma = solid.slice(0, 256).indexOf(',');
  return comma === -1 ? solid : solid.slice(comma + 1);
}

/** Accepts the standard and the URL alphabet, padded or not. */
function isBase64(text: string): boolean {
  if (text.length === 0 || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) return false;
  return text.endsWith('=') ? text.length % 4 === 0 : text.length % 4 !== 1;
}

function isJpeg(bytes: Buffer): boolean {
  return bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff;
}

function isPng(bytes: Buffer): boolean {
  return bytes.subarray(0, 8).equals(pngMagic);
}

const pngMagic = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

function tooLong(field: string, length: number): Problem {
  return { field, message: `at most ${limits.pictureBase64Max} characters of base64, not ${length}; send a smaller picture`, code: 'bad_picture' };
}

function fail({ field, message }: Problem): never {
  throw new ApiError('bad_picture', `${field}: ${message}`, { field });
}
