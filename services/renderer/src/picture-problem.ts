/** What a check of a picture's bytes finds wrong: the rest of a sentence that begins "The picture". */
export class PictureProblem extends Error {}
