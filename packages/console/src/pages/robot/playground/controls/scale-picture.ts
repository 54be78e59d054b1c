/** Makes a picture small enough to send: a phone's photo has far more pixels than the screen. */

/** Pixels; four times those of the screen in each direction, so that the service scales down from enough detail. */
const sideMax = 1280;
const jpegQuality = 0.85;

export interface ScaledPicture {
  bytes: Uint8Array;
  mediaType: string;
  w: number;
  h: number;
}

/** Returns the longer side, pixels. @returns 0 if the browser cannot decode the picture */
export async function longerSideOf(file: Blob): Promise<number> {
  const bitmap = await decoded(file);
  if (bitmap === null) return 0;
  const side = Math.max(bitmap.width, bitmap.height);
  bitmap.close();
  return side;
}

/**
 * Returns the picture as the browser decodes it, upright and at most 1280 pixels wide and high.
 * @returns null if the browser cannot decode it; 'blocked' if the browser does not let pages read what they draw
 */
export async function scaledPicture(file: Blob): Promise<ScaledPicture | null | 'blocked'> {
  const bitmap = await decoded(file);
  if (bitmap === null) return null;
  if (!readsCanvas()) return 'blocked';
  const scale = Math.min(1, sideMax / Math.max(bitmap.width, bitmap.height));
  const [w, h] = [bitmap.width, bitmap.height].map((side) => Math.max(1, Math.round(side * scale))) as [number, number];
  const canvas = document.createElement('canvas');
  canvas.width = w;
  canvas.height = h;
  const context = canvas.getContext('2d');
  if (context === null) return null;
  context.imageSmoothingQuality = 'high';
  context.drawImage(bitmap, 0, 0, w, h);
  bitmap.close();
  // JPEG has no transparency.
  const isOpaque = file.type === 'image/jpeg' || context.getImageData(0, 0, w, h).data.every((value, at) => at % 4 !== 3 || value === 255);
  const mediaType = isOpaque ? 'image/jpeg' : 'image/png';
  const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, mediaType, jpegQuality));
  return blob === null ? null : { bytes: new Uint8Array(await blob.arrayBuffer()), mediaType: blob.type, w, h };
}

/** A browser that only hinders the recognition of devices changes a channel by 1 or 2, which nobody sees. */
const channelErrorMax = 8;
const known = { w: 8, h: 8 };

/**
 * Returns whether pixels that are written to a canvas are read back. Against recognition of devices, some browsers return noise for them without an error:
 * Firefox with privacy.resistFingerprinting, and LibreWolf and Tor Browser, which set it.
 */
function readsCanvas(): boolean {
  const canvas = document.createElement('canvas');
  canvas.width = known.w;
  canvas.height = known.h;
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (context === null) return false;
  const written = context.createImageData(known.w, known.h);
  for (let at = 0; at < written.data.length; at += 1) written.data[at] = at % 4 === 3 ? 255 : (at * 37) % 256;
  context.putImageData(written, 0, 0);
  const { data } = context.getImageData(0, 0, known.w, known.h);
  return data.every((value, at) => Math.abs(value - written.data[at]!) <= channelErrorMax);
}

async function decoded(file: Blob): Promise<ImageBitmap | null> {
  try {
    return await createImageBitmap(file);
  } catch {
    return null;
  }
}
