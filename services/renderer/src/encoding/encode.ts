import { ApiError, type PictureFormat } from '@perch/schema/plain';
import { theme } from '@perch/screen';
import { createCanvas, loadImage, type Canvas } from 'canvas';
import { indexedPixels } from './palette.js';
import { encodeIndexedPng, encodePng } from './png.js';

export type { PictureFormat };

export interface Encoded {
  format: PictureFormat;
  bytes: Buffer;
}

export interface EncodeOptions {
  /** In the robot's order of preference. */
  formats: readonly PictureFormat[];
  bytesMax: number;
  /** True if the robot reads PNGs with a palette of 256 colours (`png8`): half the bytes, colours within 3 of 255. Default: false. */
  palette?: boolean;
  /** Cards of text are PNG without a try: a JPEG that keeps them sharp is hardly ever smaller. */
  hasUploads: boolean;
}

/** A drawing without equal neighbours, such as a gradient, is a smaller JPEG than this, and its PNG may be smaller still. */
const photographBytesMin = 6000;
/** Pixels that differ from their left neighbour for each byte of the JPEG, above which a picture is a photograph: each takes more than a byte of a PNG. */
const grainMin = 3;
/** The robot's first format is sent unless the other one takes less than this share of its bytes. */
const muchSmaller = 0.9;
/** Quality of a JPEG in which text stays sharp, if any does. */
const crispQuality = 90;
/** JPEG qualities at which text stays readable, and lower ones for a robot with little memory. */
const goodQualities = [92, 85, 75];
const poorQualities = [65, 55, 45, 35, 25, 15, 8];
/** A PNG without filters above this size may be a texture, as an upload may be: Skia's encoder, four times as slow, makes it much smaller. */
const unfilteredMax = 24_000;
/** Bits kept of each colour channel when a PNG with all colours is too large. */
const depths = [6, 5, 4, 3, 2];

/**
 * Encodes the picture as the smaller of a PNG and a JPEG in which text stays sharp; as the one that the robot prefers if their sizes differ by less
 * than a tenth. If neither fits, or the robot supports one format only, as good a JPEG as fits, then a PNG of fewer colours. A picture with
 * transparent pixels becomes a PNG if the robot supports it: JPEG cannot represent them.
 * @throws {ApiError} render_failed if nothing fits into `bytesMax`
 */
export async function encodePicture(canvas: Canvas, { formats, bytesMax, palette = false, hasUploads }: EncodeOptions): Promise<Encoded> {
  const known = [...new Set(formats)].filter((format) => format === 'png' || format === 'jpeg');
  for await (const encoded of attempts(canvas, known, palette, hasUploads)) if (encoded.bytes.length <= bytesMax) return encoded;
  throw new ApiError('render_failed', `The picture does not fit into the ${bytesMax} bytes the robot has for one.`);
}

/** Yields encodings from the best to the smallest. */
async function* attempts(canvas: Canvas, known: readonly PictureFormat[], palette: boolean, hasUploads: boolean): AsyncGenerator<Encoded> {
  const pixels = pixelsOf(canvas);
  const isOpaque = hasOnlyOpaque(pixels);
  if (known.includes('png')) {
    const jpeg = known.includes('jpeg') && hasUploads && isOpaque ? await crispJpeg(canvas, pixels) : null;
    // Its PNG takes ten times as long as its JPEG, and is several times as large.
    const png = jpeg !== null && isPhotograph(pixels, jpeg) ? null : await pngOf(canvas, pixels, { isOpaque, palette, hasUploads });
    const [first, second] = known[0] === 'png' ? [png, jpeg] : [jpeg, png];
    yield* inOrder(first, second);
  }
  const opaque = known.includes('jpeg') ? flattened(canvas) : canvas;
  if (known.includes('jpeg')) yield* jpegs(opaque, goodQualities);
  for (const format of known) {
    if (format === 'jpeg') yield* jpegs(opaque, poorQualities);
    else for (const depth of depths) yield { format, bytes: await withDepth(canvas, depth).encode('png') };
  }
}

interface PngOptions {
  isOpaque: boolean;
  palette: boolean;
  hasUploads: boolean;
}

async function pngOf(canvas: Canvas, pixels: Uint8ClampedArray, { isOpaque, palette, hasUploads }: PngOptions): Promise<Encoded> {
  const { width, height } = canvas;
  const indexed = palette && isOpaque ? indexedPixels(pixels) : null;
  if (indexed !== null) return { format: 'png', bytes: encodeIndexedPng(indexed, width, height) };
  const plain = encodePng(pixels, width, height, isOpaque);
  if (!hasUploads && plain.length <= unfilteredMax) return { format: 'png', bytes: plain };
  const filtered = await canvas.encode('png');
  return { format: 'png', bytes: filtered.length < plain.length ? filtered : plain };
}

async function* jpegs(canvas: Canvas, qualities: readonly number[]): AsyncGenerator<Encoded> {
  for (const quality of qualities) yield { format: 'jpeg', bytes: await canvas.encode('jpeg', quality) };
}

/** Returns null if text would not stay sharp. */
async function crispJpeg(canvas: Canvas, pixels: Uint8ClampedArray): Promise<Encoded | null> {
  const { width, height } = canvas;
  const bytes = await canvas.encode('jpeg', crispQuality);
  const copy = createCanvas(width, height);
  copy.getContext('2d').drawImage(await loadImage(bytes), 0, 0);
  return isCrisp(pixels, pixelsOf(copy), width, height) ? { format: 'jpeg', bytes } : null;
}

/** Whether the PNG is certainly larger than the JPEG. */
function isPhotograph(pixels: Uint8ClampedArray, { bytes: jpeg }: Encoded): boolean {
  if (jpeg.length < photographBytesMin) return false;
  const colors = colorsOf(pixels);
  let grain = 0;
  for (let i = 1; i < colors.length; i++) if (colors[i] !== colors[i - 1]) grain++;
  return grain > grainMin * jpeg.length;
}

function hasOnlyOpaque(pixels: Uint8ClampedArray): boolean {
  const colors = colorsOf(pixels);
  // `every` calls a function for each pixel, which takes four times as long.
  let common = 0xffff_ffff;
  for (let i = 0; i < colors.length; i++) common &= colors[i]!;
  return common >>> 24 === 255;
}

function colorsOf({ buffer, byteOffset, length }: Uint8ClampedArray): Uint32Array {
  return new Uint32Array(buffer, byteOffset, length / 4);
}

function pixelsOf(canvas: Canvas): Uint8ClampedArray {
  return canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
}

/** Puts the background behind transparent pixels, which would be black in a JPEG. */
function flattened(canvas: Canvas): Canvas {
  const flat = createCanvas(canvas.width, canvas.height);
  const context = flat.getContext('2d');
  context.fillStyle = theme.background;
  context.fillRect(0, 0, flat.width, flat.height);
  context.drawImage(canvas, 0, 0);
  return flat;
}

function withDepth(canvas: Canvas, depth: number): Canvas {
  const { width, height } = canvas;
  const pixels = canvas.getContext('2d').getImageData(0, 0, width, height);
  const step = 255 / (2 ** depth - 1);
  pixels.data.forEach((value, i) => {
    pixels.data[i] = Math.round(Math.round(value / step) * step);
  });
  const coarse = createCanvas(width, height);
  coarse.getContext('2d').putImageData(pixels, 0, 0);
  return coarse;
}

/** Returns the better one first. @param preferred in the robot's first format */
function inOrder(preferred: Encoded | null, other: Encoded | null): Encoded[] {
  if (preferred === null || other === null) return [preferred, other].filter((encoded) => encoded !== null);
  return other.bytes.length < muchSmaller * preferred.bytes.length ? [other, preferred] : [preferred, other];
}

/**
 * Decides whether a JPEG may stand for a picture: text and lines must stay as sharp as they were.
 *
 * JPEG errs in three ways that a person sees: it puts ripples and smeared colour on the plain ground around letters and lines (the encoder stores
 * colour at half the resolution), it loses drawings whose pixels all differ from their neighbours, and it changes plain areas. In the texture of a
 * photograph the same errors are invisible. So errors count on plain ground, and where they cover a whole block.
 */

/** Difference of a channel, 0 to 255, that is visible on plain ground. */
const visible = 24;
/** Pixels of plain ground that may differ visibly: a photograph of a saturated edge has a few, a word in colour has hundreds. */
const smearedMax = 32;
/** Neighbours differ by at most this on plain ground. */
const plain = 8;
const blockSide = 8;
/** Mean difference within a block: up to 8 in the texture of photographs at quality 90. */
const blockMeanMax = 16;

/** @param original @param copy RGBA of opaque pictures of the same size @returns false as soon as the copy shows one of the errors */
export function isCrisp(original: Uint8ClampedArray, copy: Uint8ClampedArray, w: number, h: number): boolean {
  const columns = Math.ceil(w / blockSide);
  const errors = new Uint32Array(columns * Math.ceil(h / blockSide));
  let smeared = 0;
  for (let y = 0, at = 0; y < h; y++) {
    const row = columns * Math.floor(y / blockSide);
    for (let x = 0; x < w; x++, at += 4) {
      const r = Math.abs(original[at]! - copy[at]!);
      const g = Math.abs(original[at + 1]! - copy[at + 1]!);
      const b = Math.abs(original[at + 2]! - copy[at + 2]!);
      errors[row + Math.floor(x / blockSide)]! += r + g + b;
      if (Math.max(r, g, b) > visible && isPlain(original, at, x, y, w, h) && ++smeared > smearedMax) return false;
    }
  }
  // Blocks at the right and bottom edge may have fewer pixels, and then seem better than they are.
  return errors.every((error) => error <= blockMeanMax * 3 * blockSide ** 2);
}

/** Whether the pixel and its neighbours have almost the same colour. At least one side of a line of text is such ground. */
function isPlain(data: Uint8ClampedArray, at: number, x: number, y: number, w: number, h: number): boolean {
  const row = 4 * w;
  return (
    (x === 0 || isSame(data, at, at - 4)) &&
    (x === w - 1 || isSame(data, at, at + 4)) &&
    (y === 0 || isSame(data, at, at - row)) &&
    (y === h - 1 || isSame(data, at, at + row))
  );
}

function isSame(data: Uint8ClampedArray, a: number, b: number): boolean {
  return Math.abs(data[a]! - data[b]!) <= plain && Math.abs(data[a + 1]! - data[b + 1]!) <= plain && Math.abs(data[a + 2]! - data[b + 2]!) <= plain;
}
