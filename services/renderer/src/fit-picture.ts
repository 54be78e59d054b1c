/** Decodes uploaded bytes to a picture that can be drawn. Every check that needs no pixels runs before the decoder sees the file. */
import { BadPicture, foreignFormat, limits, pictureFormat, pictureSize, type PictureFormat } from '@perch/schema/plain';
import { createCanvas, Image, type SKRSContext2D } from 'canvas';
import type { ImageBox } from '@perch/screen';
import { PictureProblem, checkJpeg, fromFirstMarker, withEnd, withoutRotation, checkPng } from './check-picture.js';

const sideMax: number = limits.pictureSideMax;

/** Applies the EXIF orientation. @param upload sha256, for the error @throws {BadPicture} if it is no complete JPEG or PNG of up to 4096 px a side */
export async function decodePicture(sent: Buffer, upload: string): Promise<Image> {
  try {
    const type = typeOf(sent);
    const { w: width, h: height } = sizeOf(sent);
    if (width < 1 || height < 1) throw new PictureProblem('has no pixels');
    if (width > sideMax || height > sideMax) throw new PictureProblem(`is ${width} x ${height} px; at most ${sideMax} px a side can be taken`);
    if (type === 'png') await checkPng(sent);
    const image = await imageOf(type === 'png' ? sent : await checkedJpeg(fromFirstMarker(sent)));
    // The EXIF orientation may swap width and height.
    if (image.width * image.height !== width * height) throw new PictureProblem('has another size than its header says');
    return image;
  } catch (error) {
    if (error instanceof PictureProblem) throw new BadPicture(upload, `The picture ${error.message}. ${error.remedy}`, error);
    throw new BadPicture(upload, 'The picture cannot be decoded. Send a whole JPEG or PNG.', error);
  }
}

function typeOf(bytes: Buffer): PictureFormat {
  const format = pictureFormat(bytes);
  if (format !== null) return format;
  const foreign = foreignFormat(bytes);
  throw new PictureProblem(`is ${foreign === null ? '' : `${foreign}, `}neither a JPEG nor a PNG`);
}

function sizeOf(bytes: Buffer): { w: number; h: number } {
  const size = pictureSize(bytes);
  if (size === null) throw new PictureProblem('has no readable header');
  return size;
}

async function imageOf(bytes: Buffer): Promise<Image> {
  const image = new Image();
  image.src = bytes;
  await image.decode();
  return image;
}

/** Returns the JPEG with an end marker: one that lacks it is accepted if it has all pixels. @throws {PictureProblem} */
async function checkedJpeg(bytes: Buffer): Promise<Buffer> {
  const { isMarked, isSequential } = checkJpeg(bytes);
  if (isMarked) return bytes;
  if (!isSequential || !(await hasLastPixels(withoutRotation(bytes)))) throw new PictureProblem('ends in the middle of the file');
  return withEnd(bytes);
}

/**
 * Returns whether bytes after a JPEG's last ones change nothing in its last corner, because its scan is complete. Where many are missing, the corner is
 * grey, as the decoder leaves it; a picture whose corner is grey counts as one that ends early.
 */
async function hasLastPixels(bytes: Buffer): Promise<boolean> {
  const cut = await lastCorner(withEnd(bytes));
  const filled = await lastCorner(withEnd(bytes, Buffer.alloc(2048, 0xa5)));
  return cut.equals(filled) && !cut.every((value, i) => i % 4 === 3 || Math.abs(value - 128) <= 1);
}

async function lastCorner(bytes: Buffer): Promise<Buffer> {
  const image = await imageOf(bytes);
  const side = 8;
  const context = createCanvas(side, side).getContext('2d');
  context.drawImage(image, side - image.width, side - image.height);
  return Buffer.from(context.getImageData(0, 0, side, side).data);
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
  if (box.backing !== undefined && isDarkCutOut(image)) fillRound(context, box, box.backing);
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

function fillRound(context: SKRSContext2D, { x, y, w, h, radius = 0 }: ImageBox, color: string): void {
  context.fillStyle = color;
  context.beginPath();
  context.roundRect(x, y, w, h, radius);
  context.fill();
}

/** Relative luminance (WCAG) below which a pixel is nearly black: less than 2:1 on the dark blue of the screen and of tiles. */
const nearlyBlack = 0.055;
/** Shares of the picture, weighted by opacity: so much is transparent, more than round corners, and so much of the rest nearly black. */
const transparentMin = 0.1;
const blackMin = 0.9;

/** Returns whether a picture has transparent parts and its visible ones would not be seen on a dark background, as those of a black logo. */
export function isDarkCutOut(image: Image): boolean {
  const side = 64;
  const context = createCanvas(side, side).getContext('2d');
  context.imageSmoothingQuality = 'high';
  context.drawImage(image, 0, 0, side, side);
  const { data } = context.getImageData(0, 0, side, side);
  let visible = 0;
  let black = 0;
  for (let at = 0; at < data.length; at += 4) {
    const alpha = data[at + 3]! / 255;
    visible += alpha;
    if (luminance(data[at]!, data[at + 1]!, data[at + 2]!) < nearlyBlack) black += alpha;
  }
  return visible > 0 && visible <= (1 - transparentMin) * side * side && black >= blackMin * visible;
}

function luminance(red: number, green: number, blue: number): number {
  const linear = (byte: number): number => (byte <= 10 ? byte / 255 / 12.92 : ((byte / 255 + 0.055) / 1.055) ** 2.4);
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}
