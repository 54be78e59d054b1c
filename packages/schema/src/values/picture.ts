/** Pictures in arguments: JPEG or PNG in base64, optionally with a `data:` prefix and line breaks, an address that the service fetches, or the id of an uploaded picture. */
import { Type } from 'typebox';
import type { Picker } from '../base/argument-form.js';
import { ApiError } from '../base/error.js';
import { limits, inThousands } from '../base/limits.js';
import type { Problem } from '../base/open-object.js';
import { foreignFormat, pictureFormat } from './picture-format.js';

/** @param use purpose of the picture; precedes the format in the description */
export function pictureSchema(use: string) {
  // Not `contentEncoding`, which says that the text is always base64.
  return Type.String({ 'x-picker': 'picture' satisfies Picker, contentMediaType: 'image/*', description: `${use} ${howToWrite}` });
}

const howToWrite = `JPEG or PNG in base64, at most ${inThousands(limits.pictureBase64Max)} characters and ${limits.pictureSideMax} pixels a side; an https address of one of at most 2 MB; or the id of an uploaded one (POST /v1/pictures). A data: prefix and white space are ignored.`;

export type PictureSource = 'base64' | 'address' | 'upload';

export function pictureSource(text: string): PictureSource {
  if (isPictureId(text)) return 'upload';
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(text.slice(0, 40)) ? 'address' : 'base64';
}

/** Copies nothing for a picture that is not too long. */
export function pictureProblem(field: string, text: string): Problem | null {
  if (text.length <= limits.pictureBase64Max) return null;
  const length = bare(text).length;
  return length <= limits.pictureBase64Max ? null : tooLong(field, length);
}

/** Checks only the signature: the renderer decodes. @throws {ApiError} bad_picture if it is not base64, too long, or neither JPEG nor PNG */
export function decodePicture(field: string, text: string): Buffer {
  const base64 = bare(text);
  if (base64.length > limits.pictureBase64Max) fail(tooLong(field, base64.length));
  if (!isBase64(base64)) fail({ field, message: 'must be a picture in base64; this is not base64' });
  const bytes = Buffer.from(base64, 'base64');
  requirePicture(field, bytes);
  return bytes;
}

/** @throws {ApiError} bad_picture naming the format of the bytes, if it is known */
export function requirePicture(field: string, bytes: Buffer): void {
  if (pictureFormat(bytes) !== null) return;
  const format = foreignFormat(bytes);
  fail({ field, message: `must be a JPEG or PNG; ${format === null ? 'these bytes are neither' : `this is ${format}`}` });
}

/** Copies nothing if there is no `data:` prefix or white space, as in most pictures. */
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

function tooLong(field: string, length: number): Problem {
  return { field, message: `at most ${limits.pictureBase64Max} characters of base64, not ${length}; send a smaller picture`, code: 'bad_picture' };
}

function fail({ field, message }: Problem): never {
  throw new ApiError('bad_picture', `${field}: ${message}`, { field });
}

/** Form of the id of an uploaded picture. Check it before using a text in a key name: another text could name a different key. */
export const pictureIdPattern = /^p-[0-9a-hjkmnp-tv-z]{20}$/;

export function isPictureId(text: string): boolean {
  return pictureIdPattern.test(text);
}
