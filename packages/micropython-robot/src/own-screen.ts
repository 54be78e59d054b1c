/** The screen that the robot program draws by itself: pixels of 16 bits, as screens of small robots have them. */
export const ownScreen = { w: 320, h: 240 } as const;

/** @param pixels 5 bits of red, 6 of green and 5 of blue, little-endian. @returns RGBA, 8 bits each */
export function rgbaOf(pixels: Uint8Array): Uint8ClampedArray {
  const { buffer, byteOffset } = pixels;
  const view = new DataView(buffer, byteOffset);
  const rgba = new Uint8ClampedArray(ownScreen.w * ownScreen.h * 4);
  for (let at = 0; at < rgba.length; at += 4) {
    const pixel = view.getUint16(at / 2, true);
    rgba.set([((pixel >> 11) * 255) / 31, (((pixel >> 5) & 63) * 255) / 63, ((pixel & 31) * 255) / 31, 255], at);
  }
  return rgba;
}
