/** What is wrong with an uploaded picture, in words for the person who sent it. */
import { ApiError } from '@perch/schema';

/** An upload that is no picture we can draw. `upload` is its sha256, by which the caller finds the argument it came in. */
export class BadPicture extends ApiError {
  readonly upload: string;

  constructor(upload: string, message: string, cause?: unknown) {
    super('bad_picture', message, { cause });
    this.upload = upload;
  }
}

/** What a check of a picture's bytes finds wrong: the rest of a sentence that begins "The picture". */
export class PictureProblem extends Error {}
