import { PickedPicture } from '../draft/draft.js';

/** Maximum number of base64 characters of a picture; a test compares it with the schema. */
export const pictureCharsMax = 1_600_000;

/** Returns the picture, or an error message. Only its size is checked: the service checks whether it can be decoded. */
export async function readPicture(file: File): Promise<PickedPicture | string> {
  const chars = Math.ceil(file.size / 3) * 4;
  if (file.size === 0) return `${file.name} is empty. Choose another file.`;
  if (chars > pictureCharsMax) {
    const sizes = [chars, pictureCharsMax].map((each) => each.toLocaleString('en'));
    return `${file.name} is ${sizes[0]} characters long in base64; the maximum is ${sizes[1]}. Make it smaller: the screen has 320 by 240 pixels.`;
  }
  try {
    return new PickedPicture(file.name, file.type, base64Of(new Uint8Array(await file.arrayBuffer())));
  } catch {
    return `${file.name} could not be read. Choose it again.`;
  }
}

function base64Of(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += 0x8000) parts.push(String.fromCharCode(...bytes.subarray(at, at + 0x8000)));
  return btoa(parts.join(''));
}
