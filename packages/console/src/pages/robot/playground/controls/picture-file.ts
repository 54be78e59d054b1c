import { PickedPicture } from '../draft/draft.js';
import { longerSideOf, scaledPicture, type ScaledPicture } from './scale-picture.js';

/** Maximum number of base64 characters of a picture; a test compares it with the schema. */
export const pictureCharsMax = 1_600_000;

/** Maximum width and height of a picture, pixels; a test compares it with the schema. */
export const pictureSideMax = 4096;

const sentTypes: ReadonlySet<string> = new Set(['image/png', 'image/jpeg']);

/**
 * Returns the picture, or an error message. The browser decodes every picture, so that no broken one is sent. It scales one that is too large and converts one
 * of another format, if it lets the page read the result; a small one that it may not convert is sent as it is.
 */
export async function readPicture(file: File): Promise<PickedPicture | string> {
  if (file.size === 0) return `${file.name} is empty. Choose another file.`;
  try {
    const isLarge = charsOf(file.size) > pictureCharsMax;
    const side = await longerSideOf(file);
    if (side === 0 && !isLarge) return `${file.name} cannot be read as a picture. Choose another one, such as a PNG or JPEG.`;
    const isFit = !isLarge && side <= pictureSideMax;
    const made = isFit && sentTypes.has(file.type) ? null : await scaledPicture(file);
    if (made === 'blocked' && !isFit) return blockedMessage(file.name);
    const scaled = made === 'blocked' ? null : made;
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

function blockedMessage(name: string): string {
  return `${name} is too large to send, and this browser does not let the page make it smaller: it returns noise in place of the picture (privacy.resistFingerprinting in Firefox). Allow this page to use canvas data in the address bar, or choose a picture of at most ${pictureSideMax.toLocaleString()} pixels a side and ${Math.floor((pictureCharsMax * 3) / 4 / 1024).toLocaleString()} KB.`;
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
