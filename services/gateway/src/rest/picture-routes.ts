import { ApiError, limits, pictureFormat, pictureSize, requirePicture, validatePictureUpload } from '@perch/schema';
import { pictureTtlMs, type Store } from '@perch/store';
import type { JsonBodies } from '../http/json-body.js';
import type { RestRequest, RestRoute } from './rest.js';

const { pictureSideMax } = limits;

export function pictureRoutes({ uploadedPictures, clock }: Pick<Store, 'uploadedPictures' | 'clock'>, bodies: JsonBodies): RestRoute[] {
  async function upload({ exchange, key }: RestRequest): Promise<object> {
    const isRaw = exchange.request.headers['content-type']?.toLowerCase().startsWith('image/') === true;
    const bytes = isRaw ? await bodies.readBytes(exchange, key.account) : validatePictureUpload(await bodies.read(exchange, key.account));
    const size = sizeOf(bytes);
    const picture = await uploadedPictures.put(key.account, bytes);
    const expiresAt = new Date(clock.now() + pictureTtlMs).toISOString();
    return { ok: true, picture, format: pictureFormat(bytes), ...size, bytes: bytes.length, expires_at: expiresAt };
  }

  return [{ method: 'POST', path: 'pictures', cost: 1, label: 'pictures', handle: upload }];
}

/** @throws {ApiError} bad_picture */
function sizeOf(bytes: Buffer): { w: number; h: number } {
  requirePicture('image', bytes);
  const size = pictureSize(bytes);
  if (size === null || size.w < 1 || size.h < 1) throw badPicture('has no readable header');
  if (size.w > pictureSideMax || size.h > pictureSideMax)
    throw badPicture(`is ${size.w} x ${size.h} px; at most ${pictureSideMax} px a side can be taken`);
  return size;
}

function badPicture(problem: string): ApiError {
  return new ApiError('bad_picture', `image: The picture ${problem}. Send a whole JPEG or PNG.`, { field: 'image' });
}
