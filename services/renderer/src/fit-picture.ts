/** Decodes uploaded bytes to a picture that can be drawn. Every check that needs no pixels runs before the decoder sees the file. */
import { BadPicture, foreignFormat, limits, pictureFormat, type PictureFormat } from '@perch/schema/plain';
import { imageSize } from 'image-size';
import { Image, type SKRSContext2D } from 'canvas';
import type { ImageBox } from '@perch/screen';
import { PictureProblem } from './picture-problem.js';
import { checkJpeg } from './check-jpeg.js';
import { checkPng } from './check-png.js';

const sideMax: number = limits.pictureSideMax;

/** Applies the EXIF orientation. @param upload sha256, for the error @throws {BadPicture} if it is no complete JPEG or PNG of up to 4096 px a side */
export async function decodePicture(bytes: Buffer, upload: string): Promise<Image> {
  try {
    const type = typeOf(bytes);
    const { width, height } = sizeOf(bytes);
    if (width < 1 || height < 1) throw new PictureProblem('has no pixels');
    if (width > sideMax || height > sideMax) throw new PictureProblem(`is ${width} x ${height} px; at most ${sideMax} px a side can be taken`);
    if (type === 'png') await checkPng(bytes);
    else checkJpeg(bytes);
    const image = new Image();
    image.src = bytes;
    await image.decode();
    // The EXIF orientation may swap width and height.
    if (image.width * image.height !== width * height) throw new PictureProblem('has another size than its header says');
    return image;
  } catch (error) {
    if (error instanceof PictureProblem) throw new BadPicture(upload, `The picture ${error.message}. Send a whole JPEG or PNG.`, error);
    throw new BadPicture(upload, 'The picture cannot be decoded. Send a whole JPEG or PNG.', error);
  }
}

function typeOf(bytes: Buffer): PictureFormat {
  const format = pictureFormat(bytes);
  if (format !== null) return format;
  const foreign = foreignFormat(bytes);
  throw new PictureProblem(`is ${foreign === null ? '' : `${foreign}, `}neither a JPEG nor a PNG`);
}

function sizeOf(bytes: Buffer): { width: number; height: number } {
  try {
    return imageSize(bytes);
  } catch {
    throw new PictureProblem('has no readable header');
  }
}

/** Returns the size of a whole picture fitted into a box, never enlarged, at least one pixel a side. */
export function sizeWithin(image: { width: number; height: number }, wMax: number, hMax: number): { w: number; h: number } {
  const scale = Math.min(1, wMax / image.width, hMax / image.height);
  return { w: Math.max(1, Math.round(image.width * scale)), h: Math.max(1, Math.round(image.height * scale)) };
}

/** `contain` shows the whole picture, `cover` fills the box. Small ones are enlarged, icons by a whole number; no side is below 1 px. */
export function sizeInBox(image: { width: number; height: number }, box: Pick<ImageBox, 'w' | 'h' | 'fit'>): { w: number; h: number } {
  const ratios = [box.w / image.width, box.h / image.height] as const;
  const fitted = box.fit === 'contain' ? Math.min(...ratios) : Math.max(...ratios);
  const whole = box.fit === 'contain' ? Math.floor(fitted) : Math.ceil(fitted);
  const scale = isEnlargedIcon(image, fitted) ? whole : fitted;
  return { w: Math.max(1, Math.round(image.width * scale)), h: Math.max(1, Math.round(image.height * scale)) };
}

/** Largest side of an icon, px. Its pixels become squares of whole pixels: smoothed, it is a blur; at a fraction its lines get uneven. */
const iconSideMax = 64;

function isEnlargedIcon({ width, height }: { width: number; height: number }, scale: number): boolean {
  return Math.max(width, height) <= iconSideMax && scale > 1;
}

export function drawImage(context: SKRSContext2D, image: Image, box: ImageBox): void {
  const { w, h } = sizeInBox(image, box);
  // On whole pixels: a line between two rows would be drawn as two faint ones.
  const x = box.x + Math.floor((box.w - w) / 2);
  const y = box.y + Math.floor((box.h - h) / 2);
  context.save();
  context.beginPath();
  const seen = { x: Math.max(x, box.x), y: Math.max(y, box.y), w: Math.min(w, box.w), h: Math.min(h, box.h) };
  context.roundRect(seen.x, seen.y, seen.w, seen.h, box.radius ?? 0);
  context.clip();
  context.imageSmoothingEnabled = !isEnlargedIcon(image, Math.max(w / image.width, h / image.height));
  context.imageSmoothingQuality = 'high';
  context.drawImage(image, x, y, w, h);
  context.restore();
}
