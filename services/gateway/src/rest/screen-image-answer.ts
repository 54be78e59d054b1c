import type { IncomingMessage } from 'node:http';
import type { Request } from 'express';
import type { ScreenImage } from '../media/screen-images.js';
import { BytesAnswer, type Answer } from '../http/router.js';

/** Returns the image as a PNG, or as JSON with what was cut or changed in it if the client prefers that. */
export function screenImageAnswer(request: IncomingMessage, { png, notes }: ScreenImage): Answer {
  if ((request as Request).accepts(['image/png', 'application/json']) === 'application/json')
    return { ok: true, image: png.toString('base64'), ...notes };
  return new BytesAnswer(png, ['content-type', 'image/png', 'cache-control', 'no-store']);
}
