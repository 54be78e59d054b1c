/** Colours of a picture as a palette of at most 256, for robots that read PNGs with one. */

/** One byte a pixel, and the palette's colours, three bytes each. */
export interface IndexedPixels {
  indexes: Uint8Array;
  palette: Uint8Array;
}

const colorsMax = 256;
/** Bits of each channel that are kept, in a Uint32 of a pixel's bytes in memory order (little-endian; alpha is ignored). */
const masks = { all: 0x00ff_ffff, six: 0x00fc_fcfc } as const;

/**
 * Returns the picture with its exact colours if it has at most 256, else with six bits a channel, which differ by at most 3 of 255: nobody sees that
 * on text and drawings. Returns null if six bits leave more than 256 colours.
 * @param rgba opaque pixels, four bytes each
 */
export function indexedPixels(rgba: Uint8ClampedArray): IndexedPixels | null {
  const pixels = new Uint32Array(rgba.buffer, rgba.byteOffset, rgba.length / 4);
  return indexed(pixels, masks.all) ?? indexed(pixels, masks.six);
}

function indexed(pixels: Uint32Array, mask: number): IndexedPixels | null {
  const indexOf = new Map<number, number>();
  const indexes = new Uint8Array(pixels.length);
  // Most pixels have their left neighbour's colour.
  let color = -1;
  let index = 0;
  for (let i = 0; i < pixels.length; i++) {
    const kept = pixels[i]! & mask;
    if (kept !== color) {
      color = kept;
      const known = indexOf.get(kept);
      if (known === undefined && indexOf.size === colorsMax) return null;
      index = known ?? indexOf.size;
      if (known === undefined) indexOf.set(kept, index);
    }
    indexes[i] = index;
  }
  return { indexes, palette: paletteOf([...indexOf.keys()], mask) };
}

function paletteOf(colors: readonly number[], mask: number): Uint8Array {
  const spread = mask === masks.all ? (value: number) => value : sixBits;
  return Uint8Array.from(colors.flatMap((color) => [color & 0xff, (color >> 8) & 0xff, (color >> 16) & 0xff].map(spread)));
}

/** Black stays black and white white. */
function sixBits(value: number): number {
  return value | (value >> 6);
}
