import { PickedPicture } from '../draft/draft.js';
import { longerSideOf, scaledPicture, type ScaledPicture } from './scale-picture.js';

/** Maximum number of base64 characters of a picture; a test compares it with the schema. */
export const pictureCharsMax = 1_600_000;

/** Maximum width and height of a picture, pixels; a test compares it with the schema. */
export const pictureSideMax = 4096;

const sentTypes: ReadonlySet<string> = new Set(['image/png', 'image/jpeg']);

/**
 * Returns the picture, or an error message. The browser scales a picture that is too large and converts one of another format, if it can decode it;
 * any other is sent as it is, and the service says what is wrong with it.
 */
export async function readPicture(file: File): Promise<PickedPicture | string> {
  if (file.size === 0) return `${file.name} is empty. Choose another file.`;
  try {
    const isLarge = charsOf(file.size) > pictureCharsMax;
    const isSent = !isLarge && sentTypes.has(file.type) && (await longerSideOf(file)) <= pictureSideMax;
    const scaled = isSent ? null : await scaledPicture(file);
    const bytes = scaled?.bytes ?? (isLarge ? null : new Uint8Array(await file.arrayBuffer()));
    const chars = charsOf(bytes?.length ?? file.size);
    if (bytes === null || chars > pictureCharsMax) {
      return `${file.name} is ${chars.toLocaleString()} characters long in base64; the maximum is ${pictureCharsMax.toLocaleString()}. Make it smaller: the screen has 320 by 240 pixels.`;
    }
    if (scaled === null) return new PickedPicture(file.name, file.type, base64Of(bytes));
    return new PickedPicture(scaledName(file.name, scaled), scaled.mediaType, base64Of(bytes), true);
  } catch {
    return `${file.name} could not be read. Choose it again.`;
  }
}

function charsOf(bytes: number): number {
  return Math.ceil(bytes / 3) * 4;
}

/** Returns a name such as `photo-1280x960.jpg`, since the bytes are no longer those of the file. */
function scaledName(name: string, { w, h, mediaType }: ScaledPicture): string {
  return `${name.replace(/\.[^.]*$/, '')}-${w}x${h}.${mediaType === 'image/jpeg' ? 'jpg' : 'png'}`;
}

function base64Of(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += 0x8000) parts.push(String.fromCharCode(...bytes.subarray(at, at + 0x8000)));
  return btoa(parts.join(''));
}
