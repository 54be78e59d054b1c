/** Encodes pixels as a file that the robot supports and has memory for. */
import { ApiError } from '@perch/schema/plain';
import { theme } from '@perch/screen';
import { createCanvas, type Canvas } from 'canvas';

export type PictureFormat = 'jpeg' | 'png';

export interface Encoded {
  format: PictureFormat;
  bytes: Buffer;
}

/** JPEG qualities at which text stays readable, and lower ones for a robot with little memory. */
const goodQualities = [92, 85, 75];
const poorQualities = [65, 55, 45, 35, 25, 15, 8];
/** Bits kept of each colour channel when a PNG with all colours is too large. */
const depths = [6, 5, 4, 3, 2];

/**
 * Encodes the picture in the first of the robot's formats in which it fits at good quality. If it fits in none, reduces quality or colours, again in
 * the robot's order. A picture with transparent pixels becomes a PNG if the robot supports it: JPEG cannot represent them.
 * @param formats in the robot's order of preference; unknown ones are ignored
 * @throws {ApiError} render_failed if nothing fits into `bytesMax`
 */
export async function encodePicture(canvas: Canvas, formats: readonly PictureFormat[], bytesMax: number): Promise<Encoded> {
  const known = [...new Set(formats)].filter((format) => format === 'png' || format === 'jpeg');
  const order = known[0] === 'jpeg' && known.includes('png') && isTransparent(canvas) ? known.toReversed() : known;
  const opaque = order.includes('jpeg') ? flattened(canvas) : canvas;
  for (const attempt of [...order.map((format) => good(format)), ...order.map((format) => reduced(format))]) {
    for await (const encoded of attempt) if (encoded.bytes.length <= bytesMax) return encoded;
  }
  throw new ApiError('render_failed', `The picture does not fit into the ${bytesMax} bytes the robot has for one.`);

  async function* good(format: PictureFormat): AsyncGenerator<Encoded> {
    if (format === 'png') yield { format, bytes: await canvas.encode('png') };
    else yield* jpegs(goodQualities);
  }

  async function* reduced(format: PictureFormat): AsyncGenerator<Encoded> {
    if (format === 'jpeg') return yield* jpegs(poorQualities);
    for (const depth of depths) yield { format, bytes: await withDepth(canvas, depth).encode('png') };
  }

  async function* jpegs(qualities: readonly number[]): AsyncGenerator<Encoded> {
    for (const quality of qualities) yield { format: 'jpeg', bytes: await opaque.encode('jpeg', quality) };
  }
}

function isTransparent(canvas: Canvas): boolean {
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  for (let i = 3; i < data.length; i += 4) if (data[i] !== 255) return true;
  return false;
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
