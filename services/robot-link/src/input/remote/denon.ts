/**
 * Denon: 15 bits of a mark of one unit of 263 us and a space of 3 (0) or 7 (1), least significant first: 5 of the address, 8 of the command, 00. Each
 * frame is followed after 45 ms by one with the command and the last two bits inverted.
 */
import { leastFirst, spaceBits, type BitForm } from './lengths.js';
import type { RemoteCode } from './remote-code.js';

const form: BitForm = { unitUs: 263, zero: 3, one: 7, bits: 15 };

export function decodeDenon(frame: readonly number[]): RemoteCode | null {
  const bits = spaceBits(frame, form);
  if (bits === null || bits[13] !== bits[14]) return null;
  const command = leastFirst(bits, 5, 8);
  return { protocol: 'denon', address: leastFirst(bits, 0, 5), command: bits[13] === 1 ? command ^ 0xff : command };
}
