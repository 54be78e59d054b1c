/** Pixels -> a file the robot takes and has room for. */
import { ApiError } from '@perch/schema/plain';
import { theme } from '@perch/screen';
import { createCanvas, type Canvas } from 'canvas';

export type PictureFormat = 'jpeg' | 'png';

export interface Encoded {
  format: PictureFormat;
  bytes: Buffer;
}

const qualities = [92, 85, 75, 65, 55, 45, 35, 25, 15, 8];
/** Bits of each colour channel that are kept, when a PNG is all a robot takes. */
const depths = [6, 5, 4, 3, 2];

/**
 * PNG where it fits, since it keeps text sharp; else JPEG of falling quality; else PNG of ever fewer colours.
 * @throws {ApiError} render_failed when nothing fits into `bytesMax`
 */
export async function encodePicture(canvas: Canvas, formats: readonly PictureFormat[], bytesMax: number): Promise<Encoded> {
  if (formats.includes('png')) {
    const bytes = await canvas.encode('png');
    if (bytes.length <= bytesMax) return { format: 'png', bytes };
  }
  if (formats.includes('jpeg')) {
    const opaque = flattened(canvas);
    for (const quality of qualities) {
      const bytes = await opaque.encode('jpeg', quality);
      if (bytes.length <= bytesMax) return { format: 'jpeg', bytes };
    }
  }
  if (formats.includes('png')) {
    for (const depth of depths) {
      const bytes = await withDepth(canvas, depth).encode('png');
      if (bytes.length <= bytesMax) return { format: 'png', bytes };
    }
  }
  throw new ApiError('render_failed', `The picture does not fit into the ${bytesMax} bytes the robot has for one.`);
}

/** JPEG has no transparency: what was transparent would come out black. */
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
