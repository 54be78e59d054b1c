import { encodeFrame, isObject, type Attachment } from '@perch/schema';
import type { RobotSocket } from '../connection/robot-socket.js';

export function withPicture(args: Record<string, unknown>, { path, picture }: Attachment, stream: number): Record<string, unknown> {
  const { format, bytes, crc32 } = picture;
  return merged(args, path, { stream, format, bytes, crc32 });
}

function merged(at: Record<string, unknown>, [step, ...rest]: string[], fields: object): Record<string, unknown> {
  if (step === undefined) return { ...at, ...fields };
  const inner = at[step];
  return { ...at, [step]: merged(isObject(inner) ? inner : {}, rest, fields) };
}

export function sendPicture(socket: RobotSocket, stream: number, bytes: Buffer, partBytesMax: number): void {
  for (let offset = 0; offset < bytes.length; offset += partBytesMax) {
    const end = Math.min(bytes.length, offset + partBytesMax);
    socket.sendBinary(
      encodeFrame({ kind: 'picture', first: offset === 0, last: end === bytes.length, stream, offset, payload: bytes.subarray(offset, end) }),
    );
  }
}
