/** RFC 6455 frames that a client should not send: any opcode, flags, mask and length. */

export interface FrameKind {
  opcode: number;
  fin?: boolean;
  rsv?: number;
  masked?: boolean;
  /** Length that the header claims; default: the true one. */
  says?: number | bigint;
  lengthBytes?: 1 | 2 | 8;
}

export function frameOf(payload: Buffer, { opcode, fin = true, rsv = 0, masked = true, says, lengthBytes }: FrameKind): Buffer {
  const length = says ?? payload.length;
  const size = lengthBytes ?? (length < 126 ? 1 : length < 65_536 ? 2 : 8);
  const head = Buffer.alloc(1 + (size === 1 ? 1 : 1 + size));
  head[0] = (fin ? 0x80 : 0) | (rsv << 4) | opcode;
  head[1] = (masked ? 0x80 : 0) | (size === 1 ? Number(length) : size === 2 ? 126 : 127);
  if (size === 2) head.writeUInt16BE(Number(length), 2);
  if (size === 8) head.writeBigUInt64BE(BigInt(length), 2);
  // A mask of zeros is valid, and leaves the payload readable.
  return Buffer.concat(masked ? [head, Buffer.alloc(4), payload] : [head, payload]);
}

export const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

export function textFrame(text: string): Buffer {
  return frameOf(Buffer.from(text), { opcode: opcodes.text });
}
