/**
 * NEC: 9 ms mark, 4.5 ms space, 32 bits (least significant first) of a 562.5 us mark and a space of 562.5 us (0) or 1687.5 us (1), a last mark.
 * Address, its inverse or the extended address' upper byte, command, its inverse; `nec16`: two bytes of command instead. While a button is held, every
 * 108 ms: 9 ms mark, 2.25 ms space, a mark.
 */
import { agrees, leastFirst, spaceBits, tolerance, type BitForm } from './lengths.js';
import type { RemoteCode } from './remote-code.js';

const form: BitForm = { unitUs: 562.5, head: [16, 8], zero: 1, one: 3, bits: 32 };
const repeatUnits = [16, 4, 1];

export function isNecRepeat(frame: readonly number[]): boolean {
  return agrees(frame, repeatUnits, form.unitUs);
}

/** @param frame marks and spaces in microseconds, a mark first */
export function decodeNec(frame: readonly number[]): RemoteCode | null {
  const bits = spaceBits(frame, form, tolerance.checked);
  if (bits === null) return null;
  const [low, high, command, inverse] = [0, 8, 16, 24].map((from) => leastFirst(bits, from, 8)) as [number, number, number, number];
  if ((command ^ inverse) === 0xff) return { protocol: 'nec', address: (low ^ high) === 0xff ? low : (high << 8) | low, command };
  return spaceBits(frame, form) && { protocol: 'nec16', address: (high << 8) | low, command: (inverse << 8) | command };
}
