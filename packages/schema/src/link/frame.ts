/** Binary frames of the link: an 8-byte header (kind, flags, stream, offset; big-endian), then a part of a picture or sound. */

export interface MediaFrame {
  kind: 'picture' | 'audio';
  first: boolean;
  last: boolean;
  /** 0..65535. */
  stream: number;
  /** Position of the payload's first byte in the picture or sound, 0..2^32-1. */
  offset: number;
  payload: Uint8Array;
}

export const frameHeaderBytes = 8;

const kindNumbers = { picture: 1, audio: 2 } as const;
const firstFlag = 1;
const lastFlag = 2;

/** @throws {RangeError} if stream or offset do not fit the header */
export function encodeFrame({ kind, first, last, stream, offset, payload }: MediaFrame): Buffer {
  const frame = Buffer.allocUnsafe(frameHeaderBytes + payload.byteLength);
  frame.writeUInt8(kindNumbers[kind], 0);
  frame.writeUInt8((first ? firstFlag : 0) | (last ? lastFlag : 0), 1);
  frame.writeUInt16BE(stream, 2);
  frame.writeUInt32BE(offset, 4);
  frame.set(payload, frameHeaderBytes);
  return frame;
}

/** The payload is a view of `bytes`. Flags of a later version are ignored. */
export function decodeFrame(bytes: Uint8Array): MediaFrame | { problem: string } {
  if (bytes.byteLength < frameHeaderBytes) return { problem: `binary frame of ${bytes.byteLength} bytes, shorter than its header` };
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const number = view.getUint8(0);
  if (number !== kindNumbers.picture && number !== kindNumbers.audio) return { problem: `binary frame of unknown kind ${number}` };
  const flags = view.getUint8(1);
  return {
    kind: number === kindNumbers.picture ? 'picture' : 'audio',
    first: (flags & firstFlag) !== 0,
    last: (flags & lastFlag) !== 0,
    stream: view.getUint16(2),
    offset: view.getUint32(4),
    payload: bytes.subarray(frameHeaderBytes),
  };
}
