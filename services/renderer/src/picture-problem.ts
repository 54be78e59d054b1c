/** Defect found in a picture's bytes. The message continues a sentence that begins "The picture". */
export class PictureProblem extends Error {}
