import { crc32 } from 'node:zlib';

export interface PngKind {
  depth?: number;
  /** 0 grey, 2 RGB, 3 palette, 4 grey and alpha, 6 RGB and alpha. */
  color?: number;
  interlace?: number;
  /** Chunks before the pixels. */
  before?: readonly Buffer[];
}

export const pngSignature = Buffer.from('89504e470d0a1a0a', 'hex');

/** 8-bit RGB by default. @param packed deflated pixels; need not match the header */
export function pngOf(w: number, h: number, packed: Uint8Array, { depth = 8, color = 2, interlace = 0, before = [] }: PngKind = {}): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(w, 0);
  header.writeUInt32BE(h, 4);
  header.set([depth, color, 0, 0, interlace], 8);
  return Buffer.concat([pngSignature, pngChunk('IHDR', header), ...before, pngChunk('IDAT', packed), pngChunk('IEND', Buffer.alloc(0))]);
}

export function pngChunk(type: string, data: Uint8Array): Buffer {
  const whole = Buffer.alloc(12 + data.length);
  whole.writeUInt32BE(data.length, 0);
  whole.write(type, 4, 'latin1');
  whole.set(data, 8);
  whole.writeUInt32BE(crc32(whole.subarray(4, 8 + data.length)), 8 + data.length);
  return whole;
}
