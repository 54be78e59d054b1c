import { ApiError } from '../base/error.js';

/** `upload` is the sha256 of its bytes, which identifies the argument that contained it. */
export class BadPicture extends ApiError {
  readonly upload: string;

  constructor(upload: string, message: string, cause?: unknown) {
    super('bad_picture', message, { cause });
    this.upload = upload;
  }
}
