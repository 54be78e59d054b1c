import { crc32 } from 'node:zlib';

export interface PngHeader {
  side: number;
  bitsPerChannel: 8 | 16;
  /** 2: RGB, 6: RGB and alpha. */
  colourType: 2 | 6;
  interlaced: boolean;
}

/** In base64. @param pixels deflated; need not match the header @param comment text that decoders ignore: makes files unique, and of any size */
export function pngFile({ side, bitsPerChannel, colourType, interlaced }: PngHeader, pixels: Buffer, comment?: Buffer): string {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.set([bitsPerChannel, colourType, 0, 0, interlaced ? 1 : 0], 8);
  const text = comment === undefined ? [] : [chunk('tEXt', Buffer.concat([Buffer.from('Comment\0'), comment]))];
  const chunks = [chunk('IHDR', header), ...text, chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), ...chunks]).toString('base64');
}

function chunk(type: string, body: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), body]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(body.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}
