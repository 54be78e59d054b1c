/** Defect found in a picture's bytes. The message continues a sentence that begins "The picture", the remedy is a sentence. */
export class PictureProblem extends Error {
  readonly remedy: string;

  constructor(message: string, remedy = 'Send a whole JPEG or PNG.') {
    super(message);
    this.remedy = remedy;
  }
}
