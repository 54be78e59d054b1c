/** Colours of a picture as a palette of at most 256, for robots that read PNGs with one. */

/** One byte a pixel, and the palette's colours, three bytes each. */
export interface IndexedPixels {
  indexes: Uint8Array;
  palette: Uint8Array;
}

const paletteMax = 256;
/** Pictures with more colours than this are photographs, or as good as: not worth a try. */
const colorsMax = 4096;
/** Largest difference of each channel from the picture's own, of 255: nobody sees it on text and drawings. */
const differenceMax = 3;
/** Colours in a Uint32 of a pixel's bytes in memory order (little-endian); alpha is ignored. */
const [black, white] = [0, 0x00ff_ffff];
/** Fibonacci hashing: the upper bits of the product, as many as `2 * colorsMax` has. */
const [hashFactor, hashShift] = [0x9e37_79b1, 32 - 13];

/**
 * Returns the picture with its exact colours if it has at most 256. If it has more, rare colours become a more frequent one that differs by at most 3 of
 * 255 in each channel; black, white and the most frequent colours are exact. Returns null if more than 256 are left.
 * @param rgba opaque pixels, four bytes each
 */
export function indexedPixels(rgba: Uint8ClampedArray): IndexedPixels | null {
  const pixels = new Uint32Array(rgba.buffer, rgba.byteOffset, rgba.length / 4);
  const counted = countedColors(pixels);
  if (counted === null) return null;
  const { colors, runs, runColors, runEnds } = counted;
  const merged = mergedColors(counted, colors.length <= paletteMax ? 0 : differenceMax);
  if (merged === null) return null;
  const { palette, indexOf } = merged;
  const indexes = new Uint8Array(pixels.length);
  for (let run = 0, from = 0; run < runs; run++) {
    const [index, to] = [indexOf[runColors[run]!]!, runEnds[run]!];
    // A call of `fill` takes longer than a few pixels.
    if (to - from > 8) indexes.fill(index, from, to);
    else for (let i = from; i < to; i++) indexes[i] = index;
    from = to;
  }
  return { indexes, palette: Uint8Array.from(palette.flatMap(channelsOf)) };
}

interface CountedColors {
  colors: number[];
  /** Pixels of each colour. */
  counts: Uint32Array;
  /** Number of runs of equal pixels. */
  runs: number;
  /** Of each run, the position of its colour in `colors`. */
  runColors: Uint16Array;
  /** Of each run, the pixel after it. */
  runEnds: Uint32Array;
}

/** @returns null if there are too many */
function countedColors(pixels: Uint32Array): CountedColors | null {
  const colors: number[] = [];
  const counts = new Uint32Array(colorsMax);
  const [runColors, runEnds] = [new Uint16Array(pixels.length), new Uint32Array(pixels.length)];
  let runs = 0;
  // A Map takes longer than all else here.
  const known = new Int32Array(2 * colorsMax).fill(-1);
  const positions = new Uint16Array(known.length);
  for (let from = 0; from < pixels.length;) {
    const pixel = pixels[from]!;
    let to = from + 1;
    while (to < pixels.length && pixels[to] === pixel) to++;
    const color = pixel & white;
    let slot = Math.imul(color, hashFactor) >>> hashShift;
    while (known[slot] !== color && known[slot] !== -1) slot = (slot + 1) % known.length;
    if (known[slot] === -1) {
      if (colors.length === colorsMax) return null;
      known[slot] = color;
      positions[slot] = colors.length;
      colors.push(color);
    }
    const position = positions[slot]!;
    counts[position]! += to - from;
    runColors[runs] = position;
    runEnds[runs++] = to;
    from = to;
  }
  return { colors, counts, runs, runColors, runEnds };
}

/**
 * The most frequent colour gets index 0: the byte before each row is 0, too, so that rows of the background are one repetition.
 * @returns null if more than 256 colours are left; `indexOf` has the index of each of the given colours
 */
function mergedColors({ colors, counts }: CountedColors, difference: number): { palette: number[]; indexOf: Uint8Array } | null {
  const palette: number[] = [];
  const indexOf = new Uint8Array(colors.length);
  for (const i of [...colors.keys()].sort((a, b) => counts[b]! - counts[a]!)) {
    const color = colors[i]!;
    let index = difference === 0 || color === black || color === white ? -1 : similar(palette, color, difference);
    if (index < 0) {
      index = palette.length;
      if (index === paletteMax) return null;
      palette.push(color);
    }
    indexOf[i] = index;
  }
  return { palette, indexOf };
}

/** @returns the index of a colour whose channels differ by at most `difference`, or -1 */
function similar(palette: readonly number[], color: number, difference: number): number {
  const [red, green, blue] = [color & 0xff, (color >> 8) & 0xff, color >> 16];
  for (let i = 0; i < palette.length; i++) {
    const other = palette[i]!;
    if (
      Math.abs((other & 0xff) - red) <= difference &&
      Math.abs(((other >> 8) & 0xff) - green) <= difference &&
      Math.abs((other >> 16) - blue) <= difference
    )
      return i;
  }
  return -1;
}

function channelsOf(color: number): number[] {
  return [color & 0xff, (color >> 8) & 0xff, color >> 16];
}
