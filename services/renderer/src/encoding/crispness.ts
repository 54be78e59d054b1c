/**
 * Decides whether a JPEG may stand for a picture: text and lines must stay as sharp as they were.
 *
 * JPEG errs in three ways that a person sees: it puts ripples and smeared colour on the plain ground around letters and lines (the encoder stores
 * colour at half the resolution), it loses drawings whose pixels all differ from their neighbours, and it changes plain areas. In the texture of a
 * photograph the same errors are invisible. So errors count on plain ground, and where they cover a whole block.
 */

/** Difference of a channel, 0 to 255, that is visible on plain ground. */
const visible = 24;
/** Pixels of plain ground that may differ visibly: a photograph of a saturated edge has a few, a word in colour has hundreds. */
const smearedMax = 32;
/** Neighbours differ by at most this on plain ground. */
const plain = 8;
const blockSide = 8;
/** Mean difference within a block: up to 8 in the texture of photographs at quality 90. */
const blockMeanMax = 16;

/** @param original @param copy RGBA of opaque pictures of the same size @returns false as soon as the copy shows one of the errors */
export function isCrisp(original: Uint8ClampedArray, copy: Uint8ClampedArray, w: number, h: number): boolean {
  const columns = Math.ceil(w / blockSide);
  const errors = new Uint32Array(columns * Math.ceil(h / blockSide));
  let smeared = 0;
  for (let y = 0, at = 0; y < h; y++) {
    const row = columns * Math.floor(y / blockSide);
    for (let x = 0; x < w; x++, at += 4) {
      const r = Math.abs(original[at]! - copy[at]!);
      const g = Math.abs(original[at + 1]! - copy[at + 1]!);
      const b = Math.abs(original[at + 2]! - copy[at + 2]!);
      errors[row + Math.floor(x / blockSide)]! += r + g + b;
      if (Math.max(r, g, b) > visible && isPlain(original, at, x, y, w, h) && ++smeared > smearedMax) return false;
    }
  }
  // Blocks at the right and bottom edge may have fewer pixels, and then seem better than they are.
  return errors.every((error) => error <= blockMeanMax * 3 * blockSide ** 2);
}

/** Whether the pixel and its neighbours have almost the same colour. At least one side of a line of text is such ground. */
function isPlain(data: Uint8ClampedArray, at: number, x: number, y: number, w: number, h: number): boolean {
  const row = 4 * w;
  return (
    (x === 0 || isSame(data, at, at - 4)) &&
    (x === w - 1 || isSame(data, at, at + 4)) &&
    (y === 0 || isSame(data, at, at - row)) &&
    (y === h - 1 || isSame(data, at, at + row))
  );
}

function isSame(data: Uint8ClampedArray, a: number, b: number): boolean {
  return Math.abs(data[a]! - data[b]!) <= plain && Math.abs(data[a + 1]! - data[b + 1]!) <= plain && Math.abs(data[a + 2]! - data[b + 2]!) <= plain;
}
