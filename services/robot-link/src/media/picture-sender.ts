/** Sends pictures to a robot: describes them in a command's arguments and writes their binary parts. */
import { encodeFrame, type Attachment } from '@perch/schema';
import type { RobotSocket } from '../connection/robot-socket.js';

/** Returns the arguments with `{stream, format, bytes, crc32}` of a picture at its path. */
export function withPicture(args: Record<string, unknown>, { path, picture }: Attachment, stream: number): Record<string, unknown> {
  const { format, bytes, crc32 } = picture;
  return merged(args, path, { stream, format, bytes, crc32 });
}

function merged(at: Record<string, unknown>, [step, ...rest]: string[], fields: object): Record<string, unknown> {
  if (step === undefined) return { ...at, ...fields };
  const inner = at[step];
  return { ...at, [step]: merged(isObject(inner) ? inner : {}, rest, fields) };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Writes a whole picture as binary parts; called right after its command is written. */
export function sendPicture(socket: RobotSocket, stream: number, bytes: Buffer, partBytesMax: number): void {
  for (let offset = 0; offset < bytes.length; offset += partBytesMax) {
    const end = Math.min(bytes.length, offset + partBytesMax);
    socket.sendBinary(
      encodeFrame({ kind: 'picture', first: offset === 0, last: end === bytes.length, stream, offset, payload: bytes.subarray(offset, end) }),
    );
  }
}
