/**
 * JVC: a mark of 16 and a space of 8 units of 525 us, 16 bits as in NEC, least significant first: 8 of the address, 8 of the command. While a button
 * is held, the bits follow every 45 to 60 ms without mark and space before them.
 */
import { leastFirst, spaceBits, type BitForm } from './lengths.js';
import type { RemoteCode } from './remote-code.js';

const form: BitForm = { unitUs: 525, head: [16, 8], zero: 1, one: 3, bits: 16 };

export function decodeJvc(frame: readonly number[]): RemoteCode | null {
  return codeOf(spaceBits(frame, form));
}

/** Decodes a frame as it is sent while a button is held. Other protocols' frames look like it: it counts only after a whole one with the same code. */
export function decodeJvcRepeat(frame: readonly number[]): RemoteCode | null {
  const { head: _, ...bitsAlone } = form;
  return codeOf(spaceBits(frame, bitsAlone));
}

function codeOf(bits: readonly number[] | null): RemoteCode | null {
  return bits && { protocol: 'jvc', address: leastFirst(bits, 0, 8), command: leastFirst(bits, 8, 8) };
}
