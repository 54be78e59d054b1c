/** A file as a picture to send. */
import { PickedPicture } from '../draft/draft.js';

/** Base64 characters of one picture; a test holds it against the interface's. */
export const pictureCharsMax = 1_600_000;

/** @returns the picture, or a sentence that says why it cannot be sent; whether it can be drawn is for the service to see */
export async function readPicture(file: File): Promise<PickedPicture | string> {
  const chars = Math.ceil(file.size / 3) * 4;
  if (file.size === 0) return `${file.name} is empty. Choose another file.`;
  if (chars > pictureCharsMax) {
    const told = [chars, pictureCharsMax].map((each) => each.toLocaleString('en'));
    return `${file.name} is ${told[0]} characters long in base64, and at most ${told[1]} are taken. Make it smaller: the screen has 320 by 240 pixels.`;
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
