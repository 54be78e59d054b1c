/** Binary frames of the link: an 8-byte header (kind, flags, stream, offset; big-endian), then a part of a picture or sound. */

export interface MediaFrame {
  kind: 'picture' | 'audio';
  first: boolean;
  last: boolean;
  stream: number;
  offset: number;
  payload: Uint8Array;
}

const headerBytes = 8;
const kinds = { 1: 'picture', 2: 'audio' } as const;

/** The payload is a view of `bytes`. */
export function decodeFrame(bytes: Uint8Array): MediaFrame | { problem: string } {
  if (bytes.byteLength < headerBytes) return { problem: `binary frame of ${bytes.byteLength} bytes, shorter than its header` };
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const kind = kinds[view.getUint8(0) as 1 | 2];
  const flags = view.getUint8(1);
  if (!kind) return { problem: `binary frame of unknown kind ${view.getUint8(0)}` };
  if (flags & ~3) return { problem: `binary frame with unknown flags ${flags}` };
  return {
    kind,
    first: (flags & 1) !== 0,
    last: (flags & 2) !== 0,
    stream: view.getUint16(2),
    offset: view.getUint32(4),
    payload: bytes.subarray(headerBytes),
  };
}

export function encodeFrame(frame: MediaFrame): Uint8Array {
  const bytes = new Uint8Array(headerBytes + frame.payload.byteLength);
  const view = new DataView(bytes.buffer);
  view.setUint8(0, frame.kind === 'picture' ? 1 : 2);
  view.setUint8(1, (frame.first ? 1 : 0) | (frame.last ? 2 : 0));
  view.setUint16(2, frame.stream);
  view.setUint32(4, frame.offset);
  bytes.set(frame.payload, headerBytes);
  return bytes;
}
