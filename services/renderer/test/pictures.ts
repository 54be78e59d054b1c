/** Pictures for tests, some built byte by byte to test the decoder. */
import { deflateSync } from 'node:zlib';
import { pngChunk, pngOf, pngSignature } from '@perch/testkit';
import { createCanvas, type Canvas } from 'canvas';

export { pngChunk as chunk, pngSignature as pngMagic };

export interface PngShape {
  w: number;
  h: number;
  depth?: number;
  /** 0 grey, 2 RGB, 3 palette, 4 grey and alpha, 6 RGB and alpha. */
  color?: number;
  interlace?: 0 | 1;
  data: Buffer;
  between?: Buffer[];
}

export function png({ w, h, depth = 8, color = 6, interlace = 0, data, between = [] }: PngShape): Buffer {
  return pngOf(w, h, deflateSync(data), { depth, color, interlace, before: between });
}

export function rows(h: number, w: number, pixel: number[]): Buffer {
  return Buffer.concat(Array.from({ length: h }, () => Buffer.from([0, ...Array.from({ length: w }, () => pixel).flat()])));
}

/** Returns 8 x 8 px in one colour, with the given number of components; four are CMYK. Its only codes are "no difference" and "end of block". */
export function tinyJpeg(components: number, { w = 8, h = 8, precision = 8, frame = 0xc0 } = {}): Buffer {
  const segment = (type: number, body: number[]): Buffer => Buffer.from([0xff, type, (body.length + 2) >> 8, (body.length + 2) & 0xff, ...body]);
  const ids = Array.from({ length: components }, (_, i) => i + 1);
  const oneCode = [1, ...Array.from({ length: 15 }, () => 0), 0];
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    components === 4 ? segment(0xee, [...Buffer.from('Adobe'), 0, 100, 0, 0, 0, 0, 0]) : Buffer.alloc(0),
    segment(0xdb, [0, ...Array.from({ length: 64 }, () => 1)]),
    segment(frame, [precision, h >> 8, h & 0xff, w >> 8, w & 0xff, components, ...ids.flatMap((id) => [id, 0x11, 0])]),
    segment(0xc4, [0x00, ...oneCode]),
    segment(0xc4, [0x10, ...oneCode]),
    segment(0xda, [components, ...ids.flatMap((id) => [id, 0]), 0, 63, 0]),
    Buffer.from([0x00, 0xff, 0xd9]),
  ]);
}

/** 16 x 16 px in three colours, in base64, made with cjpeg of libjpeg-turbo 2.1.5 (Debian 1:2.1.5-2): `-arithmetic`, `-arithmetic -progressive`, `-progressive`. */
export const madeJpegs = {
  arithmetic:
    '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAgGBgcGBQgHBwcJCQgKDBQNDAsLDBkSEw8UHRofHh0aHBwgJC4nICIsIxwcKDcpLDAxNDQ0Hyc5PTgyPC4zNDL/2wBDAQkJCQwLDBgNDRgyIRwhMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjL/yQARCAAQABADASIAAhEBAxEB/8wACgAQEAUBEBEF/9oADAMBAAIRAxEAPwD/AKZiZmymc551+tmuOMLTlayCrtSuX5qQ0dL8YSAnZl4IxlhvwED/2Q==',
  arithmeticProgressive:
    '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAgGBgcGBQgHBwcJCQgKDBQNDAsLDBkSEw8UHRofHh0aHBwgJC4nICIsIxwcKDcpLDAxNDQ0Hyc5PTgyPC4zNDL/2wBDAQkJCQwLDBgNDRgyIRwhMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjL/ygARCAAQABADASIAAhEBAxEB/8wABgAQARD/2gAMAwEAAhADEAAAAf8AVExIkQoRtcD/zAAEEAX/2gAIAQEAAQUC2iWk/8wABBEF/9oACAEDAQE/ARXCUGD/zAAEEQX/2gAIAQIBAT8BOac9fMD/zAAEEAX/2gAIAQEABj8C2E9vD//MAAQQBf/aAAgBAQABPyGtrx1A/9oADAMBAAIAAwAAABD0/8wABBEF/9oACAEDAQE/EMfgmMLI/8wABBEF/9oACAECAQE/ENYI2evI/8wABBAF/9oACAEBAAE/EK1rgAAK/9k=',
  progressive:
    '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAgGBgcGBQgHBwcJCQgKDBQNDAsLDBkSEw8UHRofHh0aHBwgJC4nICIsIxwcKDcpLDAxNDQ0Hyc5PTgyPC4zNDL/2wBDAQkJCQwLDBgNDRgyIRwhMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjL/wgARCAAQABADASIAAhEBAxEB/8QAFAABAAAAAAAAAAAAAAAAAAAABv/EABUBAQEAAAAAAAAAAAAAAAAAAAMF/9oADAMBAAIQAxAAAAE8yGuJif/EABcQAAMBAAAAAAAAAAAAAAAAAAADEBP/2gAIAQEAAQUCuTD/xAAYEQACAwAAAAAAAAAAAAAAAAAAAQUREv/aAAgBAwEBPwGPdaP/xAAXEQADAQAAAAAAAAAAAAAAAAAAAREE/9oACAECAQE/AdabkP/EABgQAAIDAAAAAAAAAAAAAAAAAAACEDKR/9oACAEBAAY/Apo2H//EABYQAAMAAAAAAAAAAAAAAAAAAAAQ8f/aAAgBAQABPyF05//aAAwDAQACAAMAAAAQ7//EABgRAAIDAAAAAAAAAAAAAAAAAAABIVHB/9oACAEDAQE/EFSOtP/EABgRAAIDAAAAAAAAAAAAAAAAAAARITHB/9oACAECAQE/EIyd4f/EABcQAAMBAAAAAAAAAAAAAAAAAAAQwfD/2gAIAQEAAT8QeAh//9k=',
} as const;

/** Left half red, right half blue, as a camera held sideways would store it. */
export function turnedJpeg(orientation: number): Buffer {
  const exif = Buffer.from('45786966000049492a0008000000010012010300010000000000000000000000', 'hex');
  exif.writeUInt16LE(orientation, 24);
  const head = Buffer.from([0xff, 0xe1, 0, exif.length + 2]);
  const jpeg = halves(40, 20).toBuffer('image/jpeg', 95);
  return Buffer.concat([jpeg.subarray(0, 2), head, exif, jpeg.subarray(2)]);
}

export function halves(w: number, h: number): Canvas {
  const canvas = createCanvas(w, h);
  const context = canvas.getContext('2d');
  context.fillStyle = '#ff0000';
  context.fillRect(0, 0, w / 2, h);
  context.fillStyle = '#0000ff';
  context.fillRect(w / 2, 0, w / 2, h);
  return canvas;
}

export function noise(w: number, h: number): Canvas {
  const canvas = createCanvas(w, h);
  const context = canvas.getContext('2d');
  const pixels = context.createImageData(w, h);
  let seed = 1;
  for (let i = 0; i < pixels.data.length; i++) {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    pixels.data[i] = i % 4 === 3 ? 255 : seed >>> 24;
  }
  context.putImageData(pixels, 0, 0);
  return canvas;
}
