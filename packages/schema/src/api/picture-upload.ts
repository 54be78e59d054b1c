import { Type } from 'typebox';
import { answerObject, argsObject } from '../definition/action.js';
import { compile } from '../validation/ajv.js';
import { argumentProblem } from '../validation/argument-problem.js';
import { oneOf, problemError } from '../base/open-object.js';
import { isObject } from '../base/is-object.js';
import { decodePicture, pictureIdPattern } from '../values/picture.js';
import { inThousands, limits } from '../base/limits.js';

export const PictureUploadArgumentsSchema = argsObject({
  image: Type.String({
    contentEncoding: 'base64',
    description: `JPEG or PNG in base64, at most ${inThousands(limits.pictureBase64Max)} characters and ${limits.pictureSideMax} pixels a side.`,
  }),
});

export const PictureUploadAnswerSchema = answerObject({
  picture: Type.String({ pattern: pictureIdPattern.source, description: 'The id, accepted as `image` by keys of the same account.' }),
  format: oneOf(['jpeg', 'png']),
  w: Type.Integer({ minimum: 1, maximum: limits.pictureSideMax, description: 'Pixels, as the file stores them; a camera may turn the picture.' }),
  h: Type.Integer({ minimum: 1, maximum: limits.pictureSideMax }),
  bytes: Type.Integer({ minimum: 1 }),
  expires_at: Type.String({ format: 'date-time', description: 'A day after its last upload.' }),
});

const fits = compile<{ image: string }>(PictureUploadArgumentsSchema);

/** @returns the bytes of a JPEG or PNG @throws {ApiError} bad_argument, bad_picture */
export function validatePictureUpload(body: unknown): Buffer {
  if (!isObject(body)) throw problemError({ message: 'The body must be a JSON object with an image, or the bytes of a picture.' });
  if (!fits(body)) throw problemError(argumentProblem(fits.errors, body, 'a picture'));
  return decodePicture('image', body.image);
}
